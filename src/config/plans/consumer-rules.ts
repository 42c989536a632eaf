import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';
import type { ConsumerSpec } from './consumer.js';

/** SHA-256 of no bytes: the mistake of a script whose variable is empty. */
const OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Rules of a Consumer that its schema cannot express (docs/plans.md#fields-of-a-consumer). */
export function validateConsumer({ keys }: ConsumerSpec): readonly Violation[] {
  const repeated = repeatedValues(keys.map((key) => JSON.stringify(key)));
  return [
    ...[...repeated].map(({ index, first }) => ({
      path: `keys[${index}]`,
      message: `is the same as keys[${first}]`,
      remedy: 'remove one of them',
    })),
    ...keys.flatMap(({ sha256 }, index) =>
      sha256 === OF_NOTHING
        ? { path: `keys[${index}].sha256`, message: 'is the hash of an empty text', remedy: 'hash the key' }
        : [],
    ),
  ];
}
