/** The groups of resources that a proxy or a policy server is served. */
export type ServedGroup =
  | 'clusters'
  | 'endpoints'
  | 'listeners'
  | 'routes'
  /** The configuration of the policy filters, which Envoy asks for by itself (ECDS). */
  | 'filters'
  /** What policy servers are told of services. */
  | 'serviceConfigs'
  /** What policy servers are told of their clients: which labels each check carries. */
  | 'clientConfigs'
  /** Which services have a policy bound to them. */
  | 'policyReach';

/** What the rest of the tree needs to know of a kind, whatever its objects say. */
export interface KindTraits {
  /**
   * How an object reaches proxies: `workload` only through the endpoints that are made of it, which a push request
   * names by host; `service` through services and endpoints; `config` by itself. Objects of kind `workload` change with
   * every pod: they have no version in the distribution ledger.
   */
  readonly effect: 'workload' | 'service' | 'config';
  /** Kubernetes' own kinds have no revision, and do not count as configuration updates. */
  readonly origin: 'kubernetes' | 'mesh';
  /** Enforced by policy servers, for the services that a binding names. */
  readonly isPolicy: boolean;
  /** Of no effect on routers. */
  readonly sidecarsOnly: boolean;
  /** What changes with an object of the kind, apart from what its endpoints change. */
  readonly affects: ReadonlySet<ServedGroup>;
}

const PROXY_CONFIG = ['clusters', 'endpoints', 'listeners', 'routes'] as const;
const EVERYTHING: readonly ServedGroup[] = [...PROXY_CONFIG, 'filters', 'serviceConfigs'];

/**
 * One line a kind (BEHAVIOUR 5, "Per-proxy order"). Policies change no listener and no route: their filters have a
 * configuration of their own, and route plugins say themselves what they read.
 */
const TRAITS: ReadonlyMap<string, KindTraits> = new Map([
  kubernetes('Service', 'service', EVERYTHING),
  kubernetes('Endpoints', 'workload', []),
  kubernetes('EndpointSlice', 'workload', []),
  kubernetes('Pod', 'workload', ['listeners']),
  kubernetes('Node', 'workload', []),
  kubernetes('Namespace', 'service', ['listeners', 'routes', 'policyReach', 'serviceConfigs']),
  mesh('ServiceEntry', EVERYTHING, { effect: 'service' }),
  mesh('WorkloadEntry', ['listeners'], { effect: 'service' }),
  mesh('HTTPAPISpec', ['serviceConfigs'], { isPolicy: true }),
  mesh('HTTPAPISpecBinding', ['policyReach', 'serviceConfigs', 'clientConfigs'], { isPolicy: true }),
  mesh('QuotaSpec', ['serviceConfigs'], { isPolicy: true }),
  mesh('QuotaSpecBinding', ['policyReach', 'serviceConfigs', 'clientConfigs'], { isPolicy: true }),
  mesh('PeerAuthentication', ['clusters', 'endpoints', 'listeners']),
  mesh('RequestAuthentication', ['listeners']),
  mesh('AuthorizationPolicy', ['listeners']),
  mesh('VirtualService', ['listeners', 'routes']),
  mesh('DestinationRule', ['clusters', 'endpoints', 'routes']),
  mesh('Gateway', []),
  mesh('EnvoyFilter', [...PROXY_CONFIG, 'filters']),
  mesh('Sidecar', [...PROXY_CONFIG, 'filters'], { sidecarsOnly: true }),
]);

/** A kind without a line, and the mesh config, may change everything. */
const UNKNOWN: KindTraits = {
  effect: 'config',
  origin: 'mesh',
  isPolicy: false,
  sidecarsOnly: false,
  affects: new Set([...EVERYTHING]),
};

export function traitsOf(kind: string): KindTraits {
  return TRAITS.get(kind) ?? UNKNOWN;
}

/** Whether the distribution ledger knows the versions of a kind's objects. */
export function isTracked(kind: string): boolean {
  return traitsOf(kind).effect !== 'workload';
}

/** The kinds that policy servers enforce. */
export const POLICY_KINDS: readonly string[] = [...TRAITS].filter(([, { isPolicy }]) => isPolicy).map(([kind]) => kind);

function kubernetes(
  kind: string,
  effect: KindTraits['effect'],
  affects: readonly ServedGroup[],
): readonly [string, KindTraits] {
  return [kind, { effect, origin: 'kubernetes', isPolicy: false, sidecarsOnly: false, affects: new Set(affects) }];
}

function mesh(
  kind: string,
  affects: readonly ServedGroup[],
  others: Partial<Omit<KindTraits, 'affects'>> = {},
): readonly [string, KindTraits] {
  const base = { effect: 'config', origin: 'mesh', isPolicy: false, sidecarsOnly: false } as const;
  return [kind, { ...base, ...others, affects: new Set(affects) }];
}
