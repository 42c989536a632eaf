import { Failure } from '../values/failure.js';
import { shownText } from '../values/shown-text.js';
import { type ExpressionFunction, valueMethod } from './expression-function.js';

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
const MILLISECONDS_PER_DAY = 86_400_000;
const ZONE = /^(?:UTC|([+-]?)(\d{1,2}):(\d{2}))$/;

/** Parts of a time. Months, days of the week and of the year begin with 0, as in CEL; `getDate` begins with 1. */
const PARTS: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / MILLISECONDS_PER_DAY),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

/** Nanoseconds of the units that a DURATION can be asked for. */
const UNITS: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

/** Parts of times and durations. A time zone is `UTC` or an offset such as `+02:00`. */
export const TIME_METHODS: readonly ExpressionFunction[] = [
  ...Object.entries(PARTS).flatMap(([name, part]) => [
    valueMethod(name, ['TIMESTAMP'], 'INT64', (time) => BigInt(part(dateOf(time, 0)))),
    valueMethod(name, ['TIMESTAMP', 'STRING'], 'INT64', (time, zone) => {
      const offset = offsetOf(zone);
      return offset instanceof Failure ? offset : BigInt(part(dateOf(time, offset)));
    }),
  ]),
  ...Object.entries(UNITS).map(([name, unit]) =>
    valueMethod(name, ['DURATION'], 'INT64', (duration) => duration / unit),
  ),
];

function dateOf(time: bigint, offsetMs: number): Date {
  return new Date(Number(time / NANOSECONDS_PER_MILLISECOND) + offsetMs);
}

function offsetOf(zone: string): number | Failure {
  const match = ZONE.exec(zone);
  if (match === null)
    return new Failure(`${shownText(zone)} is not a time zone: write UTC or an offset such as +02:00`);
  const [, sign, hours = '0', minutes = '0'] = match;
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
}
