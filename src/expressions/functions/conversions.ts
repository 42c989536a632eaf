import { DurationSyntaxError, parseDurationNs } from '../../base/parse-duration.js';
import { Failure } from '../values/failure.js';
import { shownText } from '../values/shown-text.js';
import { type ExpressionFunction, valueFunction } from './expression-function.js';

const NANOSECONDS = 1_000_000_000n;
const INT = /^-?\d{1,19}$/;
const DOUBLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Conversions of CEL. */
export const CONVERSIONS: readonly ExpressionFunction[] = [
  valueFunction('int', ['INT64'], 'INT64', (value) => value),
  valueFunction('int', ['DOUBLE'], 'INT64', (value) => {
    const isFinite = Number.isFinite(value);
    return isFinite ? int64(BigInt(Math.trunc(value)), String(value)) : new Failure(`${value} is not a whole number`);
  }),
  valueFunction('int', ['STRING'], 'INT64', (text) =>
    INT.test(text) ? int64(BigInt(text), text) : new Failure(`${shownText(text)} is not a whole number`),
  ),
  valueFunction('int', ['TIMESTAMP'], 'INT64', wholeSeconds),
  valueFunction('double', ['DOUBLE'], 'DOUBLE', (value) => value),
  valueFunction('double', ['INT64'], 'DOUBLE', Number),
  valueFunction('double', ['STRING'], 'DOUBLE', (text) =>
    DOUBLE.test(text) ? Number(text) : new Failure(`${shownText(text)} is not a number`),
  ),
  valueFunction('string', ['STRING'], 'STRING', (text) => text),
  valueFunction('string', ['INT64'], 'STRING', String),
  valueFunction('string', ['DOUBLE'], 'STRING', String),
  valueFunction('string', ['BOOL'], 'STRING', String),
  valueFunction('string', ['TIMESTAMP'], 'STRING', timestampText),
  valueFunction('string', ['DURATION'], 'STRING', durationText),
  valueFunction('string', ['EMAIL_ADDRESS'], 'STRING', (text) => text),
  valueFunction('string', ['URI'], 'STRING', (text) => text),
  valueFunction('string', ['DNS_NAME'], 'STRING', (text) => text),
  valueFunction('duration', ['STRING'], 'DURATION', readDuration),
  valueFunction('duration', ['DURATION'], 'DURATION', (value) => value),
  valueFunction('timestamp', ['TIMESTAMP'], 'TIMESTAMP', (value) => value),
  valueFunction('timestamp', ['INT64'], 'TIMESTAMP', (seconds) => int64(seconds * NANOSECONDS, `${seconds} seconds`)),
];

function int64(value: bigint, text: string): bigint | Failure {
  return BigInt.asIntN(64, value) === value ? value : new Failure(`${text} does not fit into 64 bits`);
}

function readDuration(text: string): bigint | Failure {
  try {
    return parseDurationNs(text);
  } catch (error) {
    if (error instanceof DurationSyntaxError) return new Failure(error.message);
    throw error;
  }
}

/** Rounded down, also before 1970. */
function wholeSeconds(nanoseconds: bigint): bigint {
  return (nanoseconds - (((nanoseconds % NANOSECONDS) + NANOSECONDS) % NANOSECONDS)) / NANOSECONDS;
}

/** RFC 3339 in UTC, with as many digits of the second as there are. */
function timestampText(nanoseconds: bigint): string {
  const seconds = wholeSeconds(nanoseconds);
  const [date = ''] = new Date(Number(seconds) * 1000).toISOString().split('.');
  return `${date}${fractionText(nanoseconds - seconds * NANOSECONDS)}Z`;
}

/** Seconds, such as `1.5s`, as JSON of protobuf has them. */
function durationText(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${sign}${size / NANOSECONDS}${fractionText(size % NANOSECONDS)}s`;
}

function fractionText(nanoseconds: bigint): string {
  const digits = String(nanoseconds).padStart(9, '0').replace(/0+$/, '');
  return digits === '' ? '' : `.${digits}`;
}
