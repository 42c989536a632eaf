import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { EgressRules } from './egress-rules.js';

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * A lookup for sockets that gives addresses only when the rules allow all that the name has: what is connected to is
 * what was judged.
 */
export function createGuardedLookup(rules: EgressRules, resolveName: ResolveName): LookupFunction {
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
