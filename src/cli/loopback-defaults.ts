import type { ListenAddress, LoopbackDefault } from '../bootstrap/options.js';

/** Where plaintext listeners listen outside a cluster, unless their flag is given. */
const LOOPBACK = '127.0.0.1';
/** Every container of a pod has one of them; ORCH_SERVICE_HOST is ours (SPEC 4.6). */
const POD_VARIABLES = ['KUBERNETES_SERVICE_HOST', 'ORCH_SERVICE_HOST'] as const;

/** Whether the process is in a cluster, as far as its environment says. */
export function isInCluster(variables: Readonly<Record<string, string | undefined>>): boolean {
  return POD_VARIABLES.some((name) => (variables[name] ?? '') !== '');
}

/**
 * Outside a cluster, the listeners that answer without asking who calls are for this machine alone: in a pod a
 * NetworkPolicy stands before them, elsewhere everybody on the network would reach them.
 *
 * @param addresses flags by field, with their default addresses
 * @param explicit labels of the flags that were given
 * @returns the flags that changed, by field
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
