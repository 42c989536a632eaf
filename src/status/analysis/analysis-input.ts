import type { KnownAttributes } from '../../config/attributes/judge-attribute.js';
import { POLICY_KINDS } from '../../config/kind-traits.js';
import type { ObjectKey } from '../../config/object.js';
import { RULE_KINDS } from '../../config/policy-rules/kind-names.js';
import type { RegexLimits } from '../../config/regex/regex-limits.js';
import type { AuthorizationPolicySpec } from '../../config/security/authorization-policy.js';
import { bindingLabelKeys } from '../../model/policy/label-conditions.js';
import { type PolicyBindings, resolvePolicyBindings } from '../../model/policy/policy-bindings.js';
import type { ResolvedBinding } from '../../model/policy/resolve-bindings.js';
import { matchesHost, type ServicePattern } from '../../model/policy/service-pattern.js';
import type { PushContext } from '../../model/push-context.js';
import type { KeySourceProblem } from '../../model/security/key-sets.js';
import { selectedLabels } from '../../model/security/oldest-first.js';
import type { Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import type { AnalysisMessage } from './analysis-message.js';
import { knownAttributesOf } from './known-attributes.js';
import { type ServiceConflict, serviceConflictsOf } from './service-conflicts.js';
import {
  createTrafficIndex,
  createTrafficMemory,
  type TrafficIndex,
  type TrafficMemory,
  type TrafficSettings,
} from './traffic/traffic-index.js';
import { createWorkloadLabels, type WorkloadLabelsOf } from './workload-labels.js';

/** Facts about the enforcement of policies that the snapshot does not have. */
export interface Enforcement extends TrafficSettings {
  /** Whether `--plugins` names `policy`. */
  readonly isPluginOn: boolean;
  /** Whether `--plugins` leaves out `authn`, so that PeerAuthentications are ignored. Default false. */
  readonly isAuthnOff?: boolean;
  /** Whether `--plugins` leaves out `authz`, so that AuthorizationPolicies are ignored. Default false. */
  readonly isAuthzOff?: boolean;
  /**
   * The quotas that the policy server in this process limits, each with its largest limit for any caller in one
   * window. Undefined if another policy server counts quotas.
   */
  readonly limitedQuotas: ReadonlyMap<string, number> | undefined;
  /** Whether snapshots have the forms of the policy server's limits. Default true. */
  readonly knowsLimits?: boolean;
  /** The dimensions of these quotas, as written in the policy configuration. */
  readonly quotaDimensions?: ReadonlyMap<string, readonly string[]>;
  /**
   * Whether this process is a pod of `manifests/`, so that messages name ConfigMaps instead of files. Default false.
   */
  readonly isPod?: boolean;
  /** Policy servers whose replicas each count quotas in their own memory; undefined if they share counters. */
  readonly unsharedCounters?: { readonly host: string; readonly replicas: number } | undefined;
  /**
   * Why handlers of rules do not run on the policy server in this process, by key. `decided elsewhere`: it asks another
   * policy server. Default: all run.
   */
  readonly failedHandlers?: ReadonlyMap<ObjectKey, string> | 'decided elsewhere';
  /** Sources of keys of JWT rules that cannot be fetched, by id. Default none. */
  readonly keySourceProblems?: ReadonlyMap<string, KeySourceProblem>;
  /** Limits of the regular expressions in policies. Default `DEFAULT_REGEX_LIMITS`. */
  readonly regexLimits?: RegexLimits;
}

/** The input of analyzers: parts of a snapshot, and facts that are resolved from them once for all analyzers. */
export interface AnalysisInput
  extends Pick<
    PushContext,
    | 'objects'
    | 'authorizationPolicies'
    | 'requestAuthentications'
    | 'services'
    | 'servicesByHost'
    | 'mesh'
    | 'sharedPorts'
    | 'entryOffences'
    | 'bindingGrants'
    | 'quotaShapes'
    | 'apiKeySecrets'
    | 'derivationProblems'
  > {
  readonly bindings: PolicyBindings;
  readonly enforcement: Enforcement;
  /** Attributes that HTTPAPISpecs set, and labels that bindings name. */
  readonly knownAttributes: KnownAttributes;
  /** Services that lose requests to other services. */
  readonly serviceConflicts: readonly ServiceConflict[];
  /** Lookups of the analyzers of traffic. */
  readonly traffic: TrafficIndex;
}

/** A pure function. If it throws, a message reports the failure. */
export type Analyzer = (input: AnalysisInput) => readonly AnalysisMessage[];

/** The input of analyzers that read endpoints. Other analyzers need not run after a change of endpoints alone. */
export interface EndpointAnalysisInput extends AnalysisInput, Pick<PushContext, 'endpoints'> {
  readonly workloadLabelsOf: WorkloadLabelsOf;
}

export type EndpointAnalyzer = (input: EndpointAnalysisInput) => readonly AnalysisMessage[];

/** Kept from one analysis to the next, they read only what has changed. */
export interface AnalysisMemory {
  readonly workloadLabelsOf: WorkloadLabelsOf;
  readonly traffic: TrafficMemory;
}

export function createAnalysisMemory(): AnalysisMemory {
  return { workloadLabelsOf: createWorkloadLabels(), traffic: createTrafficMemory() };
}

export function analysisInputOf(
  context: PushContext,
  enforcement: Enforcement,
  { workloadLabelsOf, traffic } = createAnalysisMemory(),
): EndpointAnalysisInput {
  const { objects, authorizationPolicies, requestAuthentications, services, servicesByHost, endpoints, mesh } = context;
  const { sharedPorts, entryOffences, bindingGrants, quotaShapes, apiKeySecrets, derivationProblems } = context;
  const bindings = resolvePolicyBindings(context);
  const knownAttributes = knownAttributesOf(objects);
  return {
    objects,
    authorizationPolicies,
    requestAuthentications,
    services,
    servicesByHost,
    endpoints,
    mesh,
    sharedPorts,
    entryOffences,
    bindingGrants,
    quotaShapes,
    apiKeySecrets,
    derivationProblems,
    bindings,
    enforcement,
    knownAttributes,
    serviceConflicts: serviceConflictsOf(context),
    traffic: createTrafficIndex(context, traffic, enforcement),
    workloadLabelsOf,
  };
}

/** Whether the analysis of two snapshots can differ. Snapshots share unchanged parts by identity. */
export function canDiffer(first: PushContext, second: PushContext): boolean {
  return (
    differsBeyondEndpoints(first, second) ||
    workloadsDiffer(first, second) ||
    // Analysis compares endpoints with the labels of bindings, and looks for IP addresses of external services.
    (first.endpoints !== second.endpoints &&
      (bindingLabelKeys(second).length > 0 || externalEndpointsDiffer(first, second)))
  );
}

/** Whether an external service has other endpoints, so that it may have got its first sidecar or lost its last. */
function externalEndpointsDiffer(first: PushContext, second: PushContext): boolean {
  return second.services.some(
    (service) => mayLackProxies(service) && endpointsOf(first, service) !== endpointsOf(second, service),
  );
}

/** Whether the addresses of a service decide if it can have sidecars. */
export function mayLackProxies({ meshExternal, resolution }: Service): boolean {
  return meshExternal && resolution !== 'endpoints';
}

/** Whether the results of analyzers that read workloads can differ. */
export function workloadsDiffer(first: PushContext, second: PushContext): boolean {
  // A changed selector of a Service changes no service.
  return ['Pod', 'WorkloadEntry', 'Service'].some((kind) => first.objects.get(kind) !== second.objects.get(kind));
}

/** Whether the results of analyzers that read neither endpoints nor workloads can differ. */
export function differsBeyondEndpoints(first: PushContext, second: PushContext): boolean {
  return (
    first.services !== second.services ||
    first.shadowedByHost !== second.shadowedByHost ||
    (selectsWorkloads(second) && workloadsDiffer(first, second)) ||
    first.networks !== second.networks ||
    first.sharedPorts !== second.sharedPorts ||
    first.entryOffences !== second.entryOffences ||
    first.bindingGrants !== second.bindingGrants ||
    first.quotaShapes !== second.quotaShapes ||
    first.apiKeySecrets !== second.apiKeySecrets ||
    first.derivationProblems !== second.derivationProblems ||
    first.mesh.policy !== second.mesh.policy ||
    first.mesh.rootNamespace !== second.mesh.rootNamespace ||
    first.mesh.defaultDestinationRuleExportTo !== second.mesh.defaultDestinationRuleExportTo ||
    first.mesh.defaultVirtualServiceExportTo !== second.mesh.defaultVirtualServiceExportTo ||
    first.mesh.virtualServiceScope !== second.mesh.virtualServiceScope ||
    first.domain !== second.domain ||
    ANALYZED_KINDS.some((kind) => first.objects.get(kind) !== second.objects.get(kind))
  );
}

const ANALYZED_KINDS: readonly string[] = [
  ...POLICY_KINDS,
  ...RULE_KINDS,
  'AuthorizationPolicy',
  'DestinationRule',
  'EnvoyFilter',
  'Gateway',
  'Namespace',
  'PeerAuthentication',
  'RequestAuthentication',
  'Sidecar',
  'VirtualService',
];

/** Pods change often too, and analysis compares only the selectors of AuthorizationPolicies with them. */
function selectsWorkloads({ objects }: PushContext): boolean {
  const policies = [...(objects.get('AuthorizationPolicy')?.values() ?? [])];
  return policies.some(({ body }) => selectedLabels(body as AuthorizationPolicySpec).length > 0);
}

/** A binding or a plan, with the name of the field that holds its references. */
export interface AnyBinding {
  readonly resolved: ResolvedBinding;
  /** The references of a plan are the Consumers that name it. */
  readonly referencesField: 'quotaSpecs' | 'apiSpecs' | 'consumers';
}

/** The services that a pattern of a binding names. */
export function* namedServices(
  { services, servicesByHost }: Pick<AnalysisInput, 'services' | 'servicesByHost'>,
  pattern: ServicePattern,
): Iterable<Service> {
  if (pattern.type === 'host') {
    const service = servicesByHost.get(pattern.hostname);
    if (service !== undefined) yield service;
    return;
  }
  for (const service of services) if (matchesHost(pattern, service.hostname)) yield service;
}

export function allBindings({ quotas, apis, plans }: PolicyBindings): readonly AnyBinding[] {
  return [
    ...quotas.bindings.map((resolved) => ({ resolved, referencesField: 'quotaSpecs' as const })),
    ...apis.bindings.map((resolved) => ({ resolved, referencesField: 'apiSpecs' as const })),
    ...plans.bindings.map((resolved) => ({ resolved, referencesField: 'consumers' as const })),
  ];
}
