import { createHash } from 'node:crypto';

/** Choices that a seed decides. */
export interface Random {
  /** From 0 to `below` - 1; 0 where `below` is 0. */
  integer(below: number): number;
  /** @param probability from 0 to 1 */
  chance(probability: number): boolean;
  /** @param values at least one */
  pick<Value>(values: readonly Value[]): Value;
  bytes(count: number): Buffer;
}

/** @param seed the same one leads to the same choices */
export function createRandom(seed: string): Random {
  const hashed = createHash('sha256').update(seed).digest();
  let state = hashed.readUInt32BE(0);
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    integer,
    chance: (probability) => next() < probability,
    pick: (values) => values[integer(values.length)] as (typeof values)[number],
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => integer(256))),
  };
}
