import { createHash } from 'node:crypto';
import { NOW, WINDOW_FUNCTIONS } from './window-script.js';

/**
 * Charges all quotas of one request in one step. Redis runs a script without interruption: no request of any server
 * comes between reading and writing the counters.
 *
 * KEYS: the counters, in order; then the key of the repetitions of the request, when ARGV[1] is above 0. ARGV: how long
 * a repetition is recognized, in milliseconds; then for each counter the amount, 1 for best effort, maxAmount, and the
 * shape of its window (`windowArguments`). No argument comes from a caller.
 *
 * A counter is a hash of amounts by bucket. The time is that of Redis, so that the clocks of servers do not matter.
 * When it goes back, amounts stay in the newest bucket, so that they count longer and never shorter. Each counter
 * expires with its newest amount. Doubles are exact up to 2^53, the bound of amounts; they are written with %.0f
 * because Lua would round them to 14 digits.
 *
 * Returns whether it is a repetition, and for each counter the grant, whether it was charged, how long it is valid, the
 * amount that is left, the milliseconds until an amount no longer counts, those until a retry can succeed (-1 for never),
 * and the charged bucket, separated by spaces.
 */
export const CHARGE_SCRIPT = `${WINDOW_FUNCTIONS}
local PER_COUNTER = 7
local counters = (#ARGV - 1) / PER_COUNTER
local repetition_ms = tonumber(ARGV[1])
if repetition_ms > 0 then
  local known = redis.call('GET', KEYS[counters + 1])
  if known then return {1, known} end
end
${NOW}
local function read(index)
  local at = 1 + (index - 1) * PER_COUNTER
  local charge = {
    key = KEYS[index],
    amount = tonumber(ARGV[at + 1]),
    best_effort = ARGV[at + 2] == '1',
    max = tonumber(ARGV[at + 3]),
    window = window_at(at + 4),
    used = 0, live = {}, stale = {},
  }
  charge.bucket = bucket_of(charge.window, now)
  local oldest = charge.bucket - charge.window.carried
  local fields = redis.call('HGETALL', charge.key)
  for f = 1, #fields, 2 do
    local bucket = tonumber(fields[f])
    if bucket < oldest then
      charge.stale[#charge.stale + 1] = fields[f]
    else
      local amount = tonumber(fields[f + 1])
      charge.used = charge.used + amount
      charge.live[#charge.live + 1] = {bucket, amount}
      if bucket > charge.bucket then charge.bucket = bucket end
      if amount > 0 and (not charge.first or bucket < charge.first) then charge.first = bucket end
    end
  end
  charge.left = math.max(charge.max - charge.used, 0)
  charge.granted = charge.amount
  if charge.amount > charge.left then charge.granted = charge.best_effort and charge.left or 0 end
  return charge
end

local function last_above(charge, most)
  table.sort(charge.live, function(a, b) return a[1] < b[1] end)
  local left = charge.used
  for _, entry in ipairs(charge.live) do
    left = left - entry[2]
    if left <= most then return entry[1] end
  end
end

local function retry_after(charge)
  if charge.granted == charge.amount or charge.max == 0 then return -1 end
  local bucket
  if charge.best_effort then
    bucket = last_above(charge, math.min(charge.used, charge.max) - 1) or charge.bucket
  elseif charge.amount <= charge.max then
    bucket = last_above(charge, charge.max - charge.amount)
  end
  return bucket and release_of(charge.window, bucket) - now or -1
end

local function valid(charge)
  if charge.window.carried > 0 then return charge.window.duration end
  return release_of(charge.window, charge.bucket) - now
end

local charges, refused = {}, false
for index = 1, counters do
  local charge = read(index)
  charges[index] = charge
  if not charge.best_effort and charge.granted < charge.amount then refused = true end
end

local results, charged_any = {}, false
for index, charge in ipairs(charges) do
  local charged = charge.granted > 0 and (charge.best_effort or not refused)
  results[index] = string.format('%.0f %d %.0f %.0f %.0f %.0f %.0f',
    charge.granted, charged and 1 or 0, valid(charge),
    charged and charge.left - charge.granted or charge.left, release_of(charge.window, charge.first or charge.bucket) - now,
    retry_after(charge), charge.bucket)
  if charged then
    charged_any = true
    if #charge.stale > 0 then redis.call('HDEL', charge.key, unpack(charge.stale)) end
    redis.call('HINCRBY', charge.key, string.format('%.0f', charge.bucket), string.format('%.0f', charge.granted))
    redis.call('PEXPIRE', charge.key, string.format('%.0f', release_of(charge.window, charge.bucket) - now))
  end
end

local answer = table.concat(results, ' ')
if repetition_ms > 0 and charged_any then
  redis.call('SET', KEYS[counters + 1], answer, 'PX', repetition_ms)
end
return {0, answer}
`;

/** The name of a script in Redis. */
export function scriptHash(script: string): string {
  return createHash('sha1').update(script).digest('hex');
}
