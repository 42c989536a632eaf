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
export function createGuardedLookup(rules: EgressRules, resolveName: ResolveName = resolveBySystem): LookupFunction {
  const judge = async (name: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const [first, ...others] = await resolveName(name);
    if (first === undefined) throw new Error(`${name} has no address`);
    for (const { address } of [first, ...others]) {
      const refusal = rules.refusalOf(address);
      if (refusal !== undefined) throw new Error(`${name} resolves to an address that is not allowed: ${refusal}`);
    }
    return [first, ...others];
  };
  return (name, { all }, callback) => {
    judge(name).then(
      (addresses) => {
        const [{ address, family }] = addresses;
        if (all) callback(null, [...addresses]);
        else callback(null, address, family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function resolveBySystem(name: string): Promise<LookupAddress[]> {
  return lookup(name, { all: true });
}
