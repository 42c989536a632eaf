import type { KindDefinition } from '../kind-definition.js';
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
  const group = `networking.${meshDomain}`;
  const validatePatchValue = createPatchValueCheck();
  const serviceEntry: KindDefinition<ServiceEntrySpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'ServiceEntry',
    plural: 'serviceentries',
    shortNames: ['se'],
    namespaced: true,
    schema: serviceEntrySchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateServiceEntry,
  };
  const workloadEntry: KindDefinition<WorkloadEntrySpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'WorkloadEntry',
    plural: 'workloadentries',
    shortNames: ['we'],
    namespaced: true,
    schema: workloadEntrySchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateWorkloadEntry,
  };
  const virtualService: KindDefinition<VirtualServiceSpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'VirtualService',
    plural: 'virtualservices',
    shortNames: ['vs'],
    namespaced: true,
    schema: virtualServiceSchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: (spec) => validateVirtualService(spec, features.virtualServices, createObjectRegexes(checkOne, limits)),
  };
  const destinationRule: KindDefinition<DestinationRuleSpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'DestinationRule',
    plural: 'destinationrules',
    shortNames: ['dr'],
    namespaced: true,
    schema: destinationRuleSchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateDestinationRule,
  };
  const gateway: KindDefinition<GatewaySpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'Gateway',
    plural: 'gateways',
    shortNames: ['gw'],
    namespaced: true,
    schema: gatewaySchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateGateway,
  };
  const sidecar: KindDefinition<SidecarSpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'Sidecar',
    plural: 'sidecars',
    shortNames: ['sc'],
    namespaced: true,
    schema: sidecarSchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateSidecar,
  };
  const envoyFilter: KindDefinition<EnvoyFilterSpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'EnvoyFilter',
    plural: 'envoyfilters',
    shortNames: ['ef'],
    namespaced: true,
    schema: envoyFilterSchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
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
