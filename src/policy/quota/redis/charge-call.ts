import { PolicyTransportError } from '../../client/policy-transport.js';
import { digest, sized } from '../dimension-text.js';
import type { ChargeResult, CounterCharge, CounterId, StoreAnswer, StoreRequest } from '../quota-store.js';
import { refOf } from './counter-ref.js';
import { windowArguments } from './window-script.js';

const REPETITION_MS = 60_000;
const FIELDS_PER_RESULT = 7;

/** The key of a counter in Redis. */
export function counterKey(counter: Omit<CounterId, 'shape'>, keyPrefix: string): string {
  return counterKeyOf(counterHash(counter), keyPrefix);
}

/** The name of a counter, without its values. */
function counterHash({ group, key }: Omit<CounterId, 'shape'>): string {
  return digest(sized(group) + key);
}

/** The key of the counter with a name. */
export function counterKeyOf(hash: string, keyPrefix: string): string {
  return `{${keyPrefix}}:c:${hash}`;
}

/**
 * The parameters after CHARGE_SCRIPT: the number of keys, the keys, the arguments. Keys begin with the prefix as the
 * hash tag of a cluster and end with a hash, so that Redis contains no readable value of a caller. Repetitions have had
 * other keys (`:r:`) while answers had fewer fields: servers of two versions can share a Redis during a rollout.
 */
export function chargeParameters(
  { charges, repetitionKey }: StoreRequest,
  keyPrefix: string,
): readonly (string | number)[] {
  const keys = charges.map(({ counter }) => counterKey(counter, keyPrefix));
  if (repetitionKey !== undefined) keys.push(`{${keyPrefix}}:a:${digest(repetitionKey)}`);
  const figures = charges.flatMap(({ amount, bestEffort, maxAmount, counter: { shape } }) => [
    amount,
    bestEffort ? 1 : 0,
    maxAmount,
    ...windowArguments(shape),
  ]);
  return [keys.length, ...keys, repetitionKey === undefined ? 0 : REPETITION_MS, ...figures];
}

/**
 * Reads the result of CHARGE_SCRIPT.
 *
 * @throws PolicyTransportError for any other reply
 */
export function readChargeReply(reply: unknown, charges: readonly CounterCharge[]): StoreAnswer {
  const [repeated, text] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
  const figures = String(text).split(' ').map(Number);
  if (figures.length !== charges.length * FIELDS_PER_RESULT || !figures.every(Number.isSafeInteger)) {
    throw new PolicyTransportError('other', 'The reply of Redis is not a result of the script');
  }
  const results = charges.map(({ counter, isRefundable }, index): ChargeResult => {
    const own = figures.slice(index * FIELDS_PER_RESULT);
    const [granted = 0, charged = 0, validMs = 0, left = 0, resetMs = 0, retryAfterMs = -1, bucket = 0] = own;
    const isCharged = charged === 1;
    return {
      ...{ granted, isCharged, validMs, left, resetMs },
      ...(retryAfterMs >= 0 && { retryAfterMs }),
      ...(isRefundable && isCharged && { ref: refOf(counterHash(counter), bucket) }),
    };
  });
  return { results, isRepetition: repeated === 1 };
}
