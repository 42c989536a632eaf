import { randomBytes } from 'node:crypto';
import { PolicyTransportError } from '../../client/policy-transport.js';
import type { RefundOutcome, RefundRequest } from '../quota-store.js';
import { REFUND_MS } from '../refunds/refund-ticket.js';
import { counterKeyOf } from './charge-call.js';
import { readRef } from './counter-ref.js';
import type { RedisCommand } from './receipt-call.js';
import { NOW, WINDOW_FUNCTIONS, windowArguments } from './window-script.js';

/**
 * Takes amounts back, once for each request. KEYS: the mark of the request; then for each amount its counter, and the
 * amounts that this counter has given back. ARGV: how long the mark is kept, in milliseconds; then for each amount the
 * bucket, the amount, maxAmount, and the shape of the window.
 *
 * Returns the outcome.
 */
const REFUND_SCRIPT = `${WINDOW_FUNCTIONS}${NOW}
local PER_AMOUNT = 7
if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[1]) then return 'used' end

local function refunded_since(key, oldest)
  local sum, stale = 0, {}
  local fields = redis.call('HGETALL', key)
  for f = 1, #fields, 2 do
    if tonumber(fields[f]) >= oldest then sum = sum + tonumber(fields[f + 1])
    else stale[#stale + 1] = fields[f] end
  end
  if #stale > 0 then redis.call('HDEL', key, unpack(stale)) end
  return sum
end

local function take_back(index)
  local at = 2 + (index - 1) * PER_AMOUNT
  local counter, given_back = KEYS[2 * index], KEYS[2 * index + 1]
  local bucket, amount, max = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local window = window_at(at + 3)
  local current = bucket_of(window, now)
  local used = tonumber(redis.call('HGET', counter, ARGV[at]) or 0)
  if bucket < current - window.carried or used == 0 then return 'expired' end
  if refunded_since(given_back, current - window.carried) + amount > max then return 'limited' end
  redis.call('HINCRBY', counter, ARGV[at], string.format('%.0f', -math.min(used, amount)))
  redis.call('HINCRBY', given_back, string.format('%.0f', current), ARGV[at + 1])
  redis.call('PEXPIRE', given_back, string.format('%.0f', release_of(window, current) - now))
  return 'refunded'
end

local outcome = 'expired'
for index = 1, (#ARGV - 1) / PER_AMOUNT do
  local one = take_back(index)
  if one == 'refunded' or (one == 'limited' and outcome == 'expired') then outcome = one end
end
return outcome
`;

export function refundCommand({ id, charges }: RefundRequest, keyPrefix: string): RedisCommand {
  const counters = charges.map(({ ref }) => readRef(ref));
  const keys = counters.flatMap(({ counter }) => {
    const key = counterKeyOf(counter, keyPrefix);
    return [key, `${key}:f`];
  });
  const figures = charges.flatMap(({ amount, maxAmount, shape }, index) => [
    counters[index]?.bucket ?? 0,
    amount,
    maxAmount,
    ...windowArguments(shape),
  ]);
  return ['EVAL', REFUND_SCRIPT, keys.length + 1, `{${keyPrefix}}:f:${id}`, ...keys, REFUND_MS, ...figures];
}

const OUTCOMES: readonly unknown[] = ['refunded', 'used', 'expired', 'limited'] satisfies readonly RefundOutcome[];

/** @throws PolicyTransportError for any other reply */
export function readRefundReply(reply: unknown): RefundOutcome {
  if (OUTCOMES.includes(reply)) return reply as RefundOutcome;
  throw new PolicyTransportError('other', 'The reply of Redis is not a result of the script');
}

/** Chooses the secret of tickets at the first use of a Redis, and reads the one that was chosen. */
const SECRET_SCRIPT = `
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`;

export function secretCommand(keyPrefix: string): RedisCommand {
  return ['EVAL', SECRET_SCRIPT, 1, `{${keyPrefix}}:s`, randomBytes(32).toString('base64url')];
}

/** @throws PolicyTransportError for any other reply */
export function readSecretReply(reply: unknown): string {
  if (typeof reply === 'string' && reply !== '') return reply;
  throw new PolicyTransportError('other', 'The reply of Redis is not the secret of refunds');
}
