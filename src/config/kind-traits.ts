import { API_GATEWAY } from './gateway-api/gateway-api-names.js';
import { isRuleKind } from './policy-rules/kind-names.js';

/** The groups of resources that proxies and policy servers receive. */
export type ServedGroup =
  | 'clusters'
  | 'endpoints'
  | 'listeners'
  | 'routes'
  /** The configuration of the policy filters, which Envoy requests separately (ECDS). */
  | 'filters'
  /** For policy servers: the policies of services. */
  | 'serviceConfigs'
  /** For policy servers: rules, and what they name. */
  | 'ruleObjects'
  /** For policy servers: the labels that each check carries. */
  | 'clientConfigs'
  /** For policy servers: plans with their consumers. */
  | 'plans'
  /** The services that have a policy, or a rule that decides about their requests. */
  | 'policyReach';

/** The properties of a kind that do not depend on its objects. */
export interface KindTraits {
  /**
   * How an object reaches proxies. `workload`: only through its endpoints, which a push request names by host.
   * `service`: through services and endpoints. `config`: directly. `workload` objects change with every pod, so they have
   * no version in the distribution ledger.
   */
  readonly effect: 'workload' | 'service' | 'config';
  /** Kinds of Kubernetes have no revision and do not count as configuration updates. */
  readonly origin: 'kubernetes' | 'mesh';
  /** Whether policy servers enforce the kind. */
  readonly isPolicy: boolean;
  /** Whether the kind has no effect on routers. */
  readonly sidecarsOnly: boolean;
  /** Whether the kind has no effect on sidecars. */
  readonly routersOnly: boolean;
  /** The groups that change with an object of the kind, apart from its endpoints. */
  readonly affects: ReadonlySet<ServedGroup>;
}

const ANY_PROXY = { sidecarsOnly: false, routersOnly: false } as const;
const PROXY_CONFIG = ['clusters', 'endpoints', 'listeners', 'routes'] as const;
const EVERYTHING: readonly ServedGroup[] = [...PROXY_CONFIG, 'filters', 'serviceConfigs'];

/**
 * One line per kind (docs/reference/xds.md#push-order). Policies change neither listeners nor routes: their filters
 * have a configuration of their own, and each route plugin declares what it reads.
 */
const TRAITS: ReadonlyMap<string, KindTraits> = new Map([
  kubernetes('Service', 'service', EVERYTHING),
  kubernetes('Endpoints', 'workload', []),
  kubernetes('EndpointSlice', 'workload', []),
  kubernetes('Pod', 'workload', ['listeners']),
  kubernetes('Node', 'workload', []),
  kubernetes('Namespace', 'service', ['listeners', 'routes', 'policyReach', 'serviceConfigs', 'ruleObjects', 'plans']),
  // The Gateways and VirtualServices that come of them reach routers.
  ofRouters('Ingress', ['clusters', 'listeners', 'routes']),
  ofRouters('IngressClass', ['clusters', 'listeners', 'routes']),
  mesh('ServiceEntry', EVERYTHING, { effect: 'service' }),
  mesh('WorkloadEntry', ['listeners'], { effect: 'service' }),
  mesh('HTTPAPISpec', ['serviceConfigs'], { isPolicy: true }),
  mesh('HTTPAPISpecBinding', ['policyReach', 'serviceConfigs', 'clientConfigs'], { isPolicy: true }),
  mesh('QuotaSpec', ['serviceConfigs'], { isPolicy: true }),
  mesh('QuotaSpecBinding', ['policyReach', 'serviceConfigs', 'clientConfigs'], { isPolicy: true }),
  mesh('Plan', ['policyReach', 'serviceConfigs', 'plans'], { isPolicy: true }),
  mesh('Consumer', ['plans'], { isPolicy: true }),
  mesh('attributemanifest', ['ruleObjects'], { isPolicy: true }),
  mesh('handler', ['ruleObjects'], { isPolicy: true }),
  // An instance and its template tell whether a rule that names it checks requests.
  mesh('instance', ['policyReach', 'ruleObjects'], { isPolicy: true }),
  mesh('rule', ['policyReach', 'ruleObjects'], { isPolicy: true }),
  mesh('adapter', ['ruleObjects'], { isPolicy: true }),
  mesh('template', ['policyReach', 'ruleObjects'], { isPolicy: true }),
  mesh('PeerAuthentication', ['clusters', 'endpoints', 'listeners']),
  mesh('RequestAuthentication', ['listeners']),
  // Handlers with the adapter rbac decide by them.
  mesh('AuthorizationPolicy', ['listeners', 'ruleObjects']),
  mesh('VirtualService', ['listeners', 'routes']),
  // Listeners hash the addresses of callers, and bind services that keep their destination otherwise.
  mesh('DestinationRule', ['clusters', 'endpoints', 'listeners', 'routes']),
  mesh('Gateway', ['clusters', 'listeners', 'routes'], { routersOnly: true }),
  ofRouters('GatewayClass', ['clusters', 'listeners', 'routes']),
  ofRouters(API_GATEWAY, ['clusters', 'listeners', 'routes']),
  ofRouters('HTTPRoute', ['clusters', 'routes']),
  ofRouters('ReferenceGrant', ['clusters', 'listeners', 'routes']),
  mesh('EnvoyFilter', [...PROXY_CONFIG, 'filters']),
  mesh('Sidecar', [...PROXY_CONFIG, 'filters'], { sidecarsOnly: true }),
]);

/** For kinds without a line, and for the mesh config: every group may change. */
const UNKNOWN: KindTraits = {
  effect: 'config',
  origin: 'mesh',
  isPolicy: false,
  sidecarsOnly: false,
  routersOnly: false,
  affects: new Set([...EVERYTHING, 'ruleObjects', 'plans']),
};

export function traitsOf(kind: string): KindTraits {
  return TRAITS.get(kind) ?? UNKNOWN;
}

/** Whether the distribution ledger has versions of the objects of a kind. */
export function isTracked(kind: string): boolean {
  return traitsOf(kind).effect !== 'workload';
}

/** The kinds that policy servers enforce for the services of a binding. */
export const POLICY_KINDS: readonly string[] = [...TRAITS]
  .filter(([kind, { isPolicy }]) => isPolicy && !isRuleKind(kind))
  .map(([kind]) => kind);

function kubernetes(
  kind: string,
  effect: KindTraits['effect'],
  affects: readonly ServedGroup[],
): readonly [string, KindTraits] {
  return [kind, { effect, origin: 'kubernetes', isPolicy: false, ...ANY_PROXY, affects: new Set(affects) }];
}

/** Kinds of the Gateway API, and Ingresses: they configure routers alone. */
function ofRouters(kind: string, affects: readonly ServedGroup[]): readonly [string, KindTraits] {
  const [, traits] = kubernetes(kind, 'config', affects);
  return [kind, { ...traits, routersOnly: true }];
}

function mesh(
  kind: string,
  affects: readonly ServedGroup[],
  others: Partial<Omit<KindTraits, 'affects'>> = {},
): readonly [string, KindTraits] {
  const base = { effect: 'config', origin: 'mesh', isPolicy: false, ...ANY_PROXY } as const;
  return [kind, { ...base, ...others, affects: new Set(affects) }];
}
