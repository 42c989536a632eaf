import type { ValueType } from '../expression-types.js';
import { areSameDnsNames } from '../values/dns-name.js';
import { areSameEmailAddresses } from '../values/email-address.js';
import { Failure } from '../values/failure.js';
import { areSameIpAddresses } from '../values/ip-address.js';
import { areSameUris } from '../values/uri.js';
import { type ExpressionFunction, valueFunction } from './expression-function.js';

type Equality = (left: never, right: never) => boolean | Failure;

const identical: Equality = (left: unknown, right: unknown) => left === right;

/** Types that can be compared, with their equality. Maps cannot. */
const EQUALITIES: ReadonlyMap<ValueType, Equality> = new Map<ValueType, Equality>([
  ['STRING', identical],
  ['INT64', identical],
  ['DOUBLE', identical],
  ['BOOL', identical],
  ['TIMESTAMP', identical],
  ['DURATION', identical],
  ['IP_ADDRESS', areSameIpAddresses],
  ['EMAIL_ADDRESS', areSameEmailAddresses],
  ['URI', areSameUris],
  ['DNS_NAME', areSameDnsNames],
]);

/** Types with an order. */
const ORDERED = ['STRING', 'INT64', 'DOUBLE', 'TIMESTAMP', 'DURATION'] as const satisfies readonly ValueType[];
type Ordered = string | bigint | number;

/** `==`, `!=`, `<`, `<=`, `>` and `>=`, the same in all languages. */
export const COMPARISONS: readonly ExpressionFunction[] = [
  ...[...EQUALITIES].flatMap(([type, equals]) => {
    const isEqual = equals as (left: unknown, right: unknown) => boolean | Failure;
    const differs = (left: unknown, right: unknown): boolean | Failure => {
      const result = isEqual(left, right);
      return result instanceof Failure ? result : !result;
    };
    return [valueFunction('==', [type, type], 'BOOL', isEqual), valueFunction('!=', [type, type], 'BOOL', differs)];
  }),
  ...ORDERED.flatMap((type) => [
    valueFunction('<', [type, type], 'BOOL', (left: Ordered, right: Ordered) => left < right),
    valueFunction('<=', [type, type], 'BOOL', (left: Ordered, right: Ordered) => left <= right),
    valueFunction('>', [type, type], 'BOOL', (left: Ordered, right: Ordered) => left > right),
    valueFunction('>=', [type, type], 'BOOL', (left: Ordered, right: Ordered) => left >= right),
  ]),
];
