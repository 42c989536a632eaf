import { PolicyTransportError } from '../../client/policy-transport.js';
import type { CounterId, CounterUse } from '../quota-store.js';
import { counterKey } from './charge-call.js';
import type { RedisCommand } from './receipt-call.js';
import { NOW, WINDOW_FUNCTIONS, windowArguments } from './window-script.js';

/** The amounts of counters that count now. KEYS: the counters. ARGV: the shape of their window. */
const USE_SCRIPT = `${WINDOW_FUNCTIONS}${NOW}
local window = window_at(1)
local oldest = bucket_of(window, now) - window.carried
local used = {}
for index, key in ipairs(KEYS) do
  local sum = 0
  local fields = redis.call('HGETALL', key)
  for f = 1, #fields, 2 do
    if tonumber(fields[f]) >= oldest then sum = sum + tonumber(fields[f + 1]) end
  end
  used[index] = string.format('%.0f', sum)
end
return used
`;

export function useCommand(
  { group, shape }: Omit<CounterId, 'key'>,
  keys: readonly string[],
  keyPrefix: string,
): RedisCommand {
  const counters = keys.map((key) => counterKey({ group, key }, keyPrefix));
  return ['EVAL', USE_SCRIPT, keys.length, ...counters, ...windowArguments(shape)];
}

/** @throws PolicyTransportError for any other reply */
export function readUseReply(reply: unknown, keys: readonly string[]): readonly CounterUse[] {
  const amounts = Array.isArray(reply) ? reply.map(Number) : [];
  if (amounts.length !== keys.length || amounts.some(Number.isNaN)) {
    throw new PolicyTransportError('other', 'The reply of Redis is not a result of the script');
  }
  return keys.map((key, index) => ({ key, used: amounts[index] ?? 0 }));
}
