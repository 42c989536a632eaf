import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { ObjectKey } from '../../config/object.js';
import type { Proxy } from '../proxy.js';
import type { PolicyBindings } from './policy-bindings.js';
import type { Direction } from './proxy-policy.js';
import type { ResolvedBinding } from './resolve-bindings.js';
import { matchesHost } from './service-pattern.js';

type Mesh = Pick<MeshConfig, 'policy'>;

/** Why a proxy checks nothing on that side, for a person; undefined when it does. As `proxyPolicyOf` decides. */
export function whyUnchecked(
  { policy }: Mesh,
  { type, metadata }: Pick<Proxy, 'type' | 'metadata'>,
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

/** Why no proxy reports, for a person; undefined when they do. */
export function whyUnreported({ policy }: Mesh, protocol: 'http' | 'tcp'): string | undefined {
  if (policy.mixerReportServer === '') return 'mixerReportServer of the mesh config names no server to report to';
  if (protocol === 'tcp' || !policy.disableMixerHttpReports) return undefined;
  return 'disableMixerHttpReports of the mesh config is true';
}

/** What is bound to a host, by key. */
export interface BoundKeys {
  readonly quotaSpecs: readonly ObjectKey[];
  readonly apiSpecs: readonly ObjectKey[];
  /** Named by a binding of the host, but not there. */
  readonly missing: readonly ObjectKey[];
  /** Whether any binding names the host, with specs or without. */
  readonly isNamed: boolean;
}

export function boundKeysOf({ quotas, apis }: PolicyBindings, hostname: string): BoundKeys {
  const all: readonly ResolvedBinding[] = [...quotas.bindings, ...apis.bindings];
  const ofHost = all.filter(({ services }) => services.some(({ pattern }) => matchesHost(pattern, hostname)));
  const references = ofHost.flatMap((binding) => binding.references);
  const present = references.filter(({ spec }) => spec !== undefined).map(({ key }) => key);
  return {
    quotaSpecs: keysOfKind(present, 'QuotaSpec'),
    apiSpecs: keysOfKind(present, 'HTTPAPISpec'),
    missing: keysOfKind(references.filter(({ spec }) => spec === undefined).map(({ key }) => key)),
    isNamed: ofHost.length > 0,
  };
}

/** Sorted, each once. */
function keysOfKind(keys: readonly ObjectKey[], kind?: string): readonly ObjectKey[] {
  return [...new Set(keys.filter((key) => kind === undefined || key.startsWith(`${kind}/`)))].sort();
}
