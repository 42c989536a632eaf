import type { WindowShape } from '../window-shape.js';

const CALENDARS = { week: 1, month: 2 } as const;

/** A shape as arguments of a script: durationMs, divisions, carried; 0, 1 for weeks or 2 for months. */
export function windowArguments({ durationMs, divisions, carried, calendar }: WindowShape): readonly number[] {
  return [durationMs, divisions, carried, calendar === undefined ? 0 : CALENDARS[calendar]];
}

/**
 * Functions of scripts for the windows of `window-shape`, with the same buckets: `window_at` reads a shape from ARGV,
 * `bucket_of` and `release_of` are `bucketAt` and `releaseMs`. Months are counted by the days of 400 years that begin in
 * March, because a leap day is the last one of such a year.
 */
export const WINDOW_FUNCTIONS = `
local DAY, WEEK, MONDAY = 86400000, 604800000, 259200000
local EPOCH_DAYS, ERA_DAYS = 719468, 146097

local function month_at(ms)
  local days = math.floor(ms / DAY) + EPOCH_DAYS
  local era = math.floor(days / ERA_DAYS)
  local day = days - era * ERA_DAYS
  local leaps = math.floor(day / 1460) - math.floor(day / 36524) + math.floor(day / 146096)
  local year = math.floor((day - leaps) / 365)
  day = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  return (era * 400 + year) * 12 + math.floor((5 * day + 2) / 153) + 2
end

local function month_start(month)
  local year = math.floor((month - 2) / 12)
  local days = math.floor((153 * (month - 2 - year * 12) + 2) / 5)
  local era = math.floor(year / 400)
  year = year - era * 400
  return (era * ERA_DAYS + 365 * year + math.floor(year / 4) - math.floor(year / 100) + days - EPOCH_DAYS) * DAY
end

local function window_at(first)
  return {
    duration = tonumber(ARGV[first]),
    divisions = tonumber(ARGV[first + 1]),
    carried = tonumber(ARGV[first + 2]),
    calendar = tonumber(ARGV[first + 3]),
  }
end

local function bucket_of(window, ms)
  if window.calendar == 1 then return math.floor((ms + MONDAY) / WEEK) end
  if window.calendar == 2 then return month_at(ms) end
  return math.floor(ms * window.divisions / window.duration)
end

local function release_of(window, bucket)
  if window.calendar == 1 then return (bucket + 1) * WEEK - MONDAY end
  if window.calendar == 2 then return month_start(bucket + 1) end
  return math.ceil((bucket + window.carried + 1) * window.duration / window.divisions)
end
`;

/** Reads the clock of Redis as `now`, in milliseconds. */
export const NOW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;
