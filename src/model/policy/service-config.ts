import type { AttributesSpec } from '../../config/policy/attributes.js';
import type { ServiceConfig } from '../../config/policy/client-config.js';
import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';
import type { Service } from '../service.js';
import { attributesOf, textValue } from './filter-attributes.js';
import { planNameOf } from './plans/resolved-plans.js';
import type { PolicyBindings } from './policy-bindings.js';
import type { IsRuled } from './rules/ruled-services.js';

/** Looks up the specs of a service. */
export interface SpecsOf extends Pick<PolicyBindings, 'quotaSpecsOf' | 'apiSpecsOf' | 'plans'> {
  /** Default: no service has rules. */
  readonly isRuled?: IsRuled;
}

/** The specs of one service. */
export type BoundSpecs = Pick<ServiceConfig, 'quotaSpec' | 'httpApiSpec' | 'plans'>;

/** The specs that bindings give a service. */
export function boundSpecsOf(service: Service, bindings: SpecsOf): BoundSpecs {
  return {
    quotaSpec: bindings.quotaSpecsOf(service).map(({ body }) => body),
    httpApiSpec: bindings.apiSpecsOf(service).map(({ body }) => body),
    plans: bindings.plans.plansOf(service).map(planNameOf),
  };
}

/**
 * The client configuration of a service (docs/reference/policy-client.md#serviceconfig;
 * docs/reference/policy-client.md#attributes-of-a-service): its attributes and all specs that are bound to it. It does
 * not depend on the caller; the configuration of the proxy decides whether there are calls.
 */
export function serviceConfigOf(service: Service, bindings: SpecsOf): ServiceConfig {
  return configWithSpecs(service, boundSpecsOf(service, bindings));
}

/**
 * The same for given specs.
 *
 * @param networkFailPolicy of the service itself, if it has one
 */
export function configWithSpecs(
  service: Service,
  { quotaSpec, httpApiSpec, plans = [] }: BoundSpecs,
  networkFailPolicy?: NetworkFailPolicy,
): ServiceConfig {
  const attributes = serviceAttributesOf(service);
  return {
    disableCheckCalls: false,
    disableReportCalls: false,
    mixerAttributes: attributes,
    httpApiSpec,
    quotaSpec,
    ...(plans.length > 0 && { plans }),
    ...(networkFailPolicy && { networkFailPolicy }),
    forwardAttributes: attributes,
  };
}

/** The attributes that name the service of a request. */
export function serviceAttributesOf({ hostname, name, namespace }: Service): AttributesSpec {
  return attributesOf({
    'destination.service.host': textValue(hostname),
    'destination.service.name': textValue(name),
    'destination.service.namespace': textValue(namespace),
    'destination.service.uid': textValue(`mesh://${namespace}/services/${name}`),
  });
}
