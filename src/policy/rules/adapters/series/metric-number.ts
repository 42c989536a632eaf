import type { AttributeValue } from '../../../client/attribute-value.js';

const NANOSECONDS_PER_SECOND = 1e9;

/** The number of a value: durations in seconds, times in seconds since the epoch, texts that are numbers. */
export function metricNumber(value: AttributeValue | undefined): number | undefined {
  switch (value?.type) {
    case 'int64':
    case 'double':
    case 'bool':
      return Number(value.value);
    case 'duration':
    case 'timestamp':
      return Number(value.value) / NANOSECONDS_PER_SECOND;
    case 'string': {
      const number = value.value.trim() === '' ? Number.NaN : Number(value.value);
      return Number.isNaN(number) ? undefined : number;
    }
    default:
      return undefined;
  }
}
