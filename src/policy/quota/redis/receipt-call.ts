import { digest } from '../dimension-text.js';

const KEPT_MS = 60_000;

/**
 * Gives a receipt to its first taker, in one step. KEYS: the receipt, its taker. ARGV: the taker, how long the taker is
 * kept in milliseconds.
 */
const TAKE_SCRIPT = `
local receipt = redis.call('GET', KEYS[1])
if not receipt then return false end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return receipt end
if redis.call('GET', KEYS[2]) == ARGV[1] then return receipt end
return false
`;

/** A command of Redis with its arguments. */
export type RedisCommand = readonly [name: string, ...args: readonly (string | number)[]];

/** Keeps a receipt. Its key has the prefix as the hash tag of a cluster, as counters have. */
export function keepCommand(id: string, text: string, keyPrefix: string): RedisCommand {
  return ['SET', receiptKey(id, keyPrefix), text, 'PX', KEPT_MS];
}

export function takeCommand(id: string, taker: string, keyPrefix: string): RedisCommand {
  const key = receiptKey(id, keyPrefix);
  return ['EVAL', TAKE_SCRIPT, 2, key, `${key}:t`, digest(taker), KEPT_MS];
}

function receiptKey(id: string, keyPrefix: string): string {
  return `{${keyPrefix}}:p:${digest(id)}`;
}
