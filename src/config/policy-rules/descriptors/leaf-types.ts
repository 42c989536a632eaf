import type { FieldShape } from './descriptor-set.js';
import type { LeafType } from './template-wire.js';

const SCALARS: Readonly<Partial<Record<FieldShape['type'], LeafType>>> = {
  string: 'STRING',
  int64: 'INT64',
  double: 'DOUBLE',
  bool: 'BOOL',
};

/** The messages of values in the published package. */
const MESSAGES: ReadonlyMap<string, LeafType> = new Map([
  ['istio.policy.v1beta1.Value', 'any'],
  ['istio.policy.v1beta1.IPAddress', 'IP_ADDRESS'],
  ['istio.policy.v1beta1.TimeStamp', 'TIMESTAMP'],
  ['istio.policy.v1beta1.Duration', 'DURATION'],
  ['istio.policy.v1beta1.EmailAddress', 'EMAIL_ADDRESS'],
  ['istio.policy.v1beta1.DNSName', 'DNS_NAME'],
  ['istio.policy.v1beta1.Uri', 'URI'],
]);

/** What remedies say about the types of fields. */
export const LEAF_TYPE_NAMES =
  'string, int64, double, bool, and Value, IPAddress, TimeStamp, Duration, EmailAddress, DNSName and Uri of istio.policy.v1beta1';

/** The type of a field with one value, for the value of an expression; undefined for other types. */
export function leafTypeOf({ type, typeName }: FieldShape): LeafType | undefined {
  return type === 'message' ? MESSAGES.get(typeName) : SCALARS[type];
}
