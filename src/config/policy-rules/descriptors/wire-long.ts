import type { Long } from 'protobufjs';

const LOW_BITS = 32n;

/** A number of 64 bits, exact, as writers of messages take it. */
export function wireLong(value: bigint): number | Long {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const half = (bits: bigint): number => Number(BigInt.asIntN(Number(LOW_BITS), bits));
  // Writers read these members only.
  return { low: half(value), high: half(value >> LOW_BITS), unsigned: false } as Long;
}
