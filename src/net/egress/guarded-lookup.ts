import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { EgressRules } from './egress-rules.js';

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * A lookup that fails unless the rules allow all addresses of the name. The socket connects to an address that was
 * checked.
 *
 * @param resolveName default: the resolver of the system
 */
export function createGuardedLookup(rules: EgressRules, resolveName?: ResolveName): LookupFunction {
  return (name, { all }, callback) => {
    resolveAllowed(name, rules, resolveName).then(
      (addresses) => {
        const [{ address, family }] = addresses;
        if (all) callback(null, [...addresses]);
        else callback(null, address, family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/**
 * The addresses of a name.
 *
 * @param resolveName default: the resolver of the system
 * @throws Error if there are none, or the rules do not allow all of them
 */
export async function resolveAllowed(
  name: string,
  rules: EgressRules,
  resolveName: ResolveName = systemResolver,
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolveName(name);
  if (first === undefined) throw new Error(`${name} has no address`);
  for (const { address } of [first, ...others]) {
    const refusal = rules.refusalOf(address);
    if (refusal !== undefined) throw new Error(`${name} resolves to an address that is not allowed: ${refusal}`);
  }
  return [first, ...others];
}

const systemResolver: ResolveName = (name) => lookup(name, { all: true });
