/** The types of attributes and of the values of expressions. */
export const VALUE_TYPES = [
  'STRING',
  'INT64',
  'DOUBLE',
  'BOOL',
  'TIMESTAMP',
  'IP_ADDRESS',
  'EMAIL_ADDRESS',
  'URI',
  'DNS_NAME',
  'DURATION',
  'STRING_MAP',
] as const;

export type ValueType = (typeof VALUE_TYPES)[number];
