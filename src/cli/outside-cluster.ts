import type { CommonFlags, ListenAddress, LoopbackDefault } from '../bootstrap/options.js';
import type { ReadSettings } from './settings/read-settings.js';

/** Host of plaintext listeners outside a cluster, unless their flag is set. */
const LOOPBACK = '127.0.0.1';
/** Kubernetes sets the first in every container. The second is a setting of Navigator. */
const POD_VARIABLES = ['KUBERNETES_SERVICE_HOST', 'ORCH_SERVICE_HOST'] as const;

/** Whether the environment says that the process runs in a cluster. */
function isInCluster(variables: Readonly<Record<string, string | undefined>>): boolean {
  return POD_VARIABLES.some((name) => (variables[name] ?? '') !== '');
}

/**
 * Outside a cluster, plaintext listeners listen only on this machine, because they do not authenticate their callers. In a
 * pod, a NetworkPolicy protects them.
 *
 * @param addresses flags by field, with their default addresses
 * @param explicit labels of the flags that the user has set
 * @returns the changed addresses, by field
 */
export function loopbackDefaults<Field extends string>(
  addresses: Readonly<Record<Field, { readonly flag: string; readonly address: ListenAddress | undefined }>>,
  explicit: ReadonlySet<string> | readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): { readonly fields: Partial<Record<Field, ListenAddress>>; readonly changed: readonly LoopbackDefault[] } {
  const given = new Set(explicit);
  const fields: Partial<Record<Field, ListenAddress>> = {};
  const changed: LoopbackDefault[] = [];
  if (isInCluster(variables)) return { fields, changed };
  for (const field of Object.keys(addresses) as Field[]) {
    const { flag, address } = addresses[field];
    if (given.has(flag) || address === undefined || address.host !== '') continue;
    fields[field] = { ...address, host: LOOPBACK };
    changed.push({ flag, port: address.port });
  }
  return { fields, changed };
}

/**
 * Outside a cluster, no load balancer moves callers to another server, so the server stops at once unless --drainTime is
 * set.
 */
export function withDrainDefault(
  { fields, explicit }: Pick<ReadSettings<CommonFlags>, 'fields' | 'explicit'>,
  variables: Readonly<Record<string, string | undefined>>,
): CommonFlags {
  return isInCluster(variables) || explicit.includes('--drainTime') ? fields : { ...fields, drainTimeMs: 0 };
}
