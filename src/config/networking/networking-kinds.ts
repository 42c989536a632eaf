import { type KindDefinition, meshKinds } from '../kind-definition.js';
import { createObjectRegexes } from '../policy/object-regexes.js';
import { checkRegex, createCheckMemo } from '../regex/check-regex.js';
import { DEFAULT_REGEX_LIMITS, type RegexLimits } from '../regex/regex-limits.js';
import { type DestinationRuleSpec, destinationRuleSchema } from './destination-rule.js';
import { validateDestinationRule } from './destination-rule-rules.js';
import { type EnvoyFilterSpec, envoyFilterSchema } from './envoy-filter.js';
import { validateEnvoyFilter } from './envoy-filter-rules.js';
import { createPatchValueCheck } from './envoy-filter-values.js';
import { type GatewaySpec, gatewaySchema } from './gateway.js';
import { validateGateway } from './gateway-rules.js';
import { type ServiceEntrySpec, serviceEntrySchema } from './service-entry.js';
import { validateServiceEntry } from './service-entry-rules.js';
import { type SidecarSpec, sidecarSchema } from './sidecar.js';
import { validateSidecar } from './sidecar-rules.js';
import { type VirtualServiceSpec, virtualServiceSchema } from './virtual-service.js';
import { type VirtualServiceRules, validateVirtualService } from './virtual-service-rules.js';
import { type WorkloadEntrySpec, workloadEntrySchema } from './workload-entry.js';
import { validateWorkloadEntry } from './workload-entry-rules.js';

/** Features that decide which objects are valid. */
export interface NetworkingFeatures {
  readonly virtualServices: VirtualServiceRules;
}

export const DEFAULT_NETWORKING_FEATURES: NetworkingFeatures = { virtualServices: { delegates: false } };

/** The kinds of group `networking.<mesh domain>`. */
export function createNetworkingKinds(
  meshDomain: string,
  limits: RegexLimits = DEFAULT_REGEX_LIMITS,
  features: NetworkingFeatures = DEFAULT_NETWORKING_FEATURES,
): readonly KindDefinition[] {
  const checkOne = createCheckMemo((text) => checkRegex(text, limits.expressionBytes));
  const shared = meshKinds('networking', meshDomain, 'v1beta1', 'v1alpha3');
  const validatePatchValue = createPatchValueCheck();
  const serviceEntry: KindDefinition<ServiceEntrySpec> = {
    ...shared,
    kind: 'ServiceEntry',
    plural: 'serviceentries',
    shortNames: ['se'],
    schema: serviceEntrySchema,
    validate: validateServiceEntry,
  };
  const workloadEntry: KindDefinition<WorkloadEntrySpec> = {
    ...shared,
    kind: 'WorkloadEntry',
    plural: 'workloadentries',
    shortNames: ['we'],
    schema: workloadEntrySchema,
    validate: validateWorkloadEntry,
  };
  const virtualService: KindDefinition<VirtualServiceSpec> = {
    ...shared,
    kind: 'VirtualService',
    plural: 'virtualservices',
    shortNames: ['vs'],
    schema: virtualServiceSchema,
    validate: (spec) => validateVirtualService(spec, features.virtualServices, createObjectRegexes(checkOne, limits)),
  };
  const destinationRule: KindDefinition<DestinationRuleSpec> = {
    ...shared,
    kind: 'DestinationRule',
    plural: 'destinationrules',
    shortNames: ['dr'],
    schema: destinationRuleSchema,
    validate: validateDestinationRule,
  };
  const gateway: KindDefinition<GatewaySpec> = {
    ...shared,
    kind: 'Gateway',
    plural: 'gateways',
    shortNames: ['gw'],
    schema: gatewaySchema,
    validate: validateGateway,
  };
  const sidecar: KindDefinition<SidecarSpec> = {
    ...shared,
    kind: 'Sidecar',
    plural: 'sidecars',
    shortNames: ['sc'],
    schema: sidecarSchema,
    validate: validateSidecar,
  };
  const envoyFilter: KindDefinition<EnvoyFilterSpec> = {
    ...shared,
    kind: 'EnvoyFilter',
    plural: 'envoyfilters',
    shortNames: ['ef'],
    schema: envoyFilterSchema,
    validate: (spec) => validateEnvoyFilter(spec, validatePatchValue),
  };
  return [
    serviceEntry,
    workloadEntry,
    virtualService,
    destinationRule,
    gateway,
    sidecar,
    envoyFilter,
  ] as readonly KindDefinition[];
}
