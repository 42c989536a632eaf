import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';
import type { AttributesSpec } from '../../config/policy/attributes.js';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../../config/policy/client-config.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { AttributeLayer } from '../client/attribute-bag.js';
import { attributesMessage, attributesSpecMessage } from './attributes-message.js';
import { POLICY_TYPE_URLS } from './call-metadata.js';
import { httpClientConfigMessage, serviceConfigMessage, tcpClientConfigMessage } from './client-config-message.js';
import { planMessage } from './plan-message.js';

/** Attributes and client configurations as messages of `mesh.policy.v1`, which `config-decoder` reads. */
export interface ConfigEncoder {
  attributes(layer: AttributeLayer): Buffer;
  httpClientConfig(config: HttpClientConfig): Buffer;
  tcpClientConfig(config: TcpClientConfig): Buffer;
  serviceConfig(config: ServiceConfig): Buffer;
  plan(plan: ResolvedPlan): Buffer;
  /** Attributes as they are written, as the value of `x-mesh-attributes`. */
  attributesSpecText(spec: AttributesSpec): string;
  /** Attributes as the value of `x-mesh-attributes`. */
  attributesText(layer: AttributeLayer): string;
  /** The value of the metadata `x-mesh-client-config`: everything except the configurations of services. */
  httpClientConfigText(config: HttpClientConfig): string;
  /** The same for TCP. */
  tcpClientConfigText(config: TcpClientConfig): string;
}

/** @param encoder knows our own messages, as `loadProtoRegistry` loads them */
export function createConfigEncoder(encoder: Pick<MessageEncoder, 'encode'>): ConfigEncoder {
  const encode = (type: keyof typeof POLICY_TYPE_URLS, message: object): Buffer =>
    encoder.encode(POLICY_TYPE_URLS[type], message);
  return {
    attributes: (layer) => encode('attributes', attributesMessage(layer)),
    httpClientConfig: (config) => encode('httpClientConfig', httpClientConfigMessage(config)),
    tcpClientConfig: (config) => encode('tcpClientConfig', tcpClientConfigMessage(config)),
    serviceConfig: (config) => encode('serviceConfig', serviceConfigMessage(config)),
    plan: (plan) => encode('plan', planMessage(plan)),
    attributesSpecText: (spec) => encode('attributes', attributesSpecMessage(spec)).toString('base64'),
    attributesText: (layer) => encode('attributes', attributesMessage(layer)).toString('base64'),
    httpClientConfigText: (config) =>
      encode('httpClientConfig', httpClientConfigMessage({ ...config, serviceConfigs: {} })).toString('base64'),
    tcpClientConfigText: ({ connectionQuotaSpec: _, ...config }) =>
      encode('tcpClientConfig', tcpClientConfigMessage(config)).toString('base64'),
  };
}

/**
 * A configuration that may name forwarded attributes: HttpClientConfig or ServiceConfig
 * (docs/reference/policy-client.md#serviceconfig, docs/reference/policy-client.md#httpclientconfig).
 */
export interface ForwardingConfig {
  readonly forwardAttributes?: AttributesSpec | undefined;
}

/**
 * The value of the header `x-mesh-attributes` for a request to another workload. Attributes of the service take
 * precedence over those of the client.
 *
 * @returns undefined when no attribute is forwarded: remove the header from the request then
 */
export function forwardedAttributesHeader(
  encoder: Pick<ConfigEncoder, 'attributesSpecText'>,
  client: ForwardingConfig,
  service: ForwardingConfig = {},
): string | undefined {
  const attributes = { ...client.forwardAttributes?.attributes, ...service.forwardAttributes?.attributes };
  return Object.keys(attributes).length === 0 ? undefined : encoder.attributesSpecText({ attributes });
}
