import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { keyOf, type ObjectKey } from '../../config/object.js';
import type { Proxy } from '../proxy.js';
import type { BoundService } from './bound-services.js';
import type { PolicyBindings } from './policy-bindings.js';
import type { Direction } from './proxy-policy.js';
import type { ResolvedBinding } from './resolve-bindings.js';
import { matchesHost } from './service-pattern.js';

type Mesh = Pick<MeshConfig, 'policy'>;

/**
 * The reason why a proxy makes no checks in a direction, for debug pages; undefined when it does. Follows
 * `proxyPolicyOf`.
 */
export function uncheckedReason(
  { policy }: Mesh,
  { type, metadata }: Pick<Proxy, 'type'> & { readonly metadata: Pick<Proxy['metadata'], 'policy'> },
  direction: Direction,
): string | undefined {
  if (policy.mixerCheckServer === '') return 'mixerCheckServer of the mesh config names no server to ask';
  const check = metadata.policy?.check;
  if (check === 'disable') return "check in the proxy's metadata is disable";
  if (check !== undefined) return undefined;
  if (direction === 'inbound') {
    return policy.disablePolicyChecks ? 'disablePolicyChecks of the mesh config is true' : undefined;
  }
  if (type === 'router' || policy.enableClientSidePolicyCheck) return undefined;
  return 'enableClientSidePolicyCheck of the mesh config is false';
}

/** The reason why proxies send no reports, for debug pages; undefined when they do. */
export function unreportedReason({ policy }: Mesh, protocol: 'http' | 'tcp'): string | undefined {
  if (policy.mixerReportServer === '') return 'mixerReportServer of the mesh config names no server to report to';
  if (protocol === 'tcp' || !policy.disableMixerHttpReports) return undefined;
  return 'disableMixerHttpReports of the mesh config is true';
}

/** The specs that are bound to a service, by key. */
export interface BoundKeys {
  readonly quotaSpecs: readonly ObjectKey[];
  readonly apiSpecs: readonly ObjectKey[];
  /** Plans that name the service; missing for none. */
  readonly plans?: readonly ObjectKey[];
  /** Specs that a binding of the service names, but that do not exist or that the binding may not use. */
  readonly missing: readonly ObjectKey[];
  /** Bindings and plans that name the service without a grant of its namespace. */
  readonly notGranted: readonly ObjectKey[];
  /** Whether a binding acts on the service, with specs or without. */
  readonly isNamed: boolean;
}

export function boundKeysOf({ quotas, apis, plans }: PolicyBindings, service: BoundService): BoundKeys {
  const all: readonly ResolvedBinding[] = [...quotas.bindings, ...apis.bindings, ...plans.bindings];
  const naming = all.filter(({ services }) => services.some(({ pattern }) => matchesHost(pattern, service.hostname)));
  const acting = naming.filter(({ actsOn }) => actsOn(service.namespace));
  const references = acting.flatMap((binding) => binding.references);
  const present = references.filter(({ spec }) => spec !== undefined).map(({ key }) => key);
  const actingKeys = acting.map(({ binding }) => keyOf(binding));
  const ofPlans = keysOfKind(actingKeys, 'Plan');
  return {
    quotaSpecs: keysOfKind(present, 'QuotaSpec'),
    apiSpecs: keysOfKind(present, 'HTTPAPISpec'),
    ...(ofPlans.length > 0 && { plans: ofPlans }),
    missing: keysOfKind(references.filter(({ spec }) => spec === undefined).map(({ key }) => key)),
    notGranted: keysOfKind(
      naming.filter(({ actsOn }) => !actsOn(service.namespace)).map(({ binding }) => keyOf(binding)),
    ),
    isNamed: acting.length > 0,
  };
}

/** Sorted, each once. */
function keysOfKind(keys: readonly ObjectKey[], kind?: string): readonly ObjectKey[] {
  return [...new Set(keys.filter((key) => kind === undefined || key.startsWith(`${kind}/`)))].sort();
}
