import type { AttributesSpec } from '../../config/policy/attributes.js';
import type { ConfigEncoder } from './config-encoder.js';

/** A configuration that may say what is forwarded: HttpClientConfig or ServiceConfig (SPEC 2.11, 2.13). */
export interface ForwardingConfig {
  readonly forwardAttributes?: AttributesSpec | undefined;
}

/**
 * The value of the header `x-mesh-attributes` for a request to another workload. The service's attributes take
 * precedence over the client's.
 *
 * @returns undefined when nothing is forwarded: take the header off the request then
 */
export function forwardedAttributesHeader(
  encoder: Pick<ConfigEncoder, 'attributesSpecText'>,
  client: ForwardingConfig,
  service: ForwardingConfig = {},
): string | undefined {
  const attributes = { ...client.forwardAttributes?.attributes, ...service.forwardAttributes?.attributes };
  return Object.keys(attributes).length === 0 ? undefined : encoder.attributesSpecText({ attributes });
}
