import { PolicyTransportError } from '../../client/policy-transport.js';
import { digest, sized } from '../dimension-text.js';
import type { ChargeResult, CounterId, StoreAnswer, StoreRequest } from '../quota-store.js';

const REPETITION_MS = 60_000;
const FIELDS_PER_RESULT = 4;

/** The key of a counter in Redis. */
export function counterKey({ group, key }: Omit<CounterId, 'shape'>, keyPrefix: string): string {
  return `{${keyPrefix}}:c:${digest(sized(group) + key)}`;
}

/**
 * The parameters after CHARGE_SCRIPT: the number of keys, the keys, the arguments. Keys begin with the prefix as the
 * hash tag of a cluster and end with a hash, so that Redis contains no readable value of a caller.
 */
export function chargeParameters(
  { charges, repetitionKey }: StoreRequest,
  keyPrefix: string,
): readonly (string | number)[] {
  const keys = charges.map(({ counter }) => counterKey(counter, keyPrefix));
  if (repetitionKey !== undefined) keys.push(`{${keyPrefix}}:r:${digest(repetitionKey)}`);
  const figures = charges.flatMap(({ amount, bestEffort, maxAmount, counter: { shape } }) => [
    amount,
    bestEffort ? 1 : 0,
    maxAmount,
    shape.durationMs,
    shape.divisions,
    shape.carried,
  ]);
  return [keys.length, ...keys, repetitionKey === undefined ? 0 : REPETITION_MS, ...figures];
}

/**
 * Reads the result of CHARGE_SCRIPT.
 *
 * @throws PolicyTransportError for any other reply
 */
export function readChargeReply(reply: unknown, charges: number): StoreAnswer {
  const [repeated, text] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
  const figures = String(text).split(' ').map(Number);
  if (figures.length !== charges * FIELDS_PER_RESULT || !figures.every(Number.isSafeInteger)) {
    throw new PolicyTransportError('other', 'The reply of Redis is not a result of the script');
  }
  const results = Array.from({ length: charges }, (_, index): ChargeResult => {
    const [granted = 0, charged = 0, validMs = 0, retryAfterMs = -1] = figures.slice(index * FIELDS_PER_RESULT);
    return { granted, isCharged: charged === 1, validMs, ...(retryAfterMs >= 0 && { retryAfterMs }) };
  });
  return { results, isRepetition: repeated === 1 };
}
