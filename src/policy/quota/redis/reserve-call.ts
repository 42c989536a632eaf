import { PolicyTransportError } from '../../client/policy-transport.js';
import type { ReserveRequest, ReserveResult } from '../quota-store.js';
import { counterKey } from './charge-call.js';
import { NOW, WINDOW_FUNCTIONS, windowArguments } from './window-script.js';

/**
 * Gives a part of an earlier reservation of one counter back, and reserves, in one step.
 *
 * KEYS: the counter, a hash of amounts by bucket as in CHARGE_SCRIPT. ARGV: the returned amount, the bucket of its
 * reservation, the wanted amount, maxAmount, and the shape of the window (`windowArguments`).
 *
 * Returns what is granted, what is left, the bucket of the reservation, and the milliseconds until an amount counts no more
 * (-1 when nothing is used), separated by spaces.
 */
export const RESERVE_SCRIPT = `${WINDOW_FUNCTIONS}${NOW}
local returned, from, wanted, max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local window = window_at(5)
local newest = bucket_of(window, now)
local oldest = newest - window.carried
local used, live, stale = 0, {}, {}
local fields = redis.call('HGETALL', KEYS[1])
for f = 1, #fields, 2 do
  local bucket = tonumber(fields[f])
  if bucket < oldest then
    stale[#stale + 1] = fields[f]
  else
    local amount = tonumber(fields[f + 1])
    used = used + amount
    live[#live + 1] = {bucket, amount}
    if bucket > newest then newest = bucket end
  end
end
table.sort(live, function(a, b) return a[1] < b[1] end)
for _, entry in ipairs(live) do
  local taken = entry[1] >= from and math.min(returned, entry[2]) or 0
  if taken > 0 then
    redis.call('HINCRBY', KEYS[1], string.format('%.0f', entry[1]), string.format('%.0f', -taken))
    entry[2] = entry[2] - taken
    returned = returned - taken
    used = used - taken
  end
end
local left = math.max(max - used, 0)
local granted = math.min(wanted, left)
if #stale > 0 then redis.call('HDEL', KEYS[1], unpack(stale)) end
if granted > 0 then
  redis.call('HINCRBY', KEYS[1], string.format('%.0f', newest), string.format('%.0f', granted))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', release_of(window, newest) - now))
  live[#live + 1] = {newest, granted}
end
local first = -1
for _, entry in ipairs(live) do
  if entry[2] > 0 then
    first = release_of(window, entry[1]) - now
    break
  end
end
return string.format('%.0f %.0f %.0f %.0f', granted, left - granted, newest, first)
`;

/** The parameters after the script: the number of keys, the key, the arguments. */
export function reserveParameters(
  { counter, maxAmount, returned, returnedFrom, wanted }: ReserveRequest,
  keyPrefix: string,
): readonly (string | number)[] {
  const key = counterKey(counter, keyPrefix);
  return [1, key, returned, returnedFrom, wanted, maxAmount, ...windowArguments(counter.shape)];
}

/** @throws PolicyTransportError for any other reply */
export function readReserveReply(reply: unknown): ReserveResult {
  const figures = String(reply).split(' ').map(Number);
  const [granted, left, bucket, releaseMs = -1] = figures;
  const isComplete = granted !== undefined && left !== undefined && bucket !== undefined && figures.length === 4;
  if (!isComplete || figures.some(Number.isNaN)) {
    throw new PolicyTransportError('other', 'The reply of Redis is not a result of the script');
  }
  return { granted, left, bucket, ...(releaseMs >= 0 && { releaseMs }) };
}
