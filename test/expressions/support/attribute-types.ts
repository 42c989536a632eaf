import type { AttributeTypes, ValueType } from '../../../src/expressions/expression-types.js';

/** The attributes of a manifest, by name. */
export function attributeTypes(types: Readonly<Record<string, ValueType>>): AttributeTypes {
  const byName = new Map(Object.entries(types));
  return { typeOf: (name) => byName.get(name), names: () => byName.keys() };
}

/** Attributes of requests, and one of each type. */
export const ATTRIBUTES: AttributeTypes = attributeTypes({
  'request.headers': 'STRING_MAP',
  'request.host': 'STRING',
  'request.method': 'STRING',
  'request.path': 'STRING',
  'request.size': 'INT64',
  'request.time': 'TIMESTAMP',
  'request.auth.principal': 'STRING',
  'response.code': 'INT64',
  'response.duration': 'DURATION',
  'response.size': 'INT64',
  'source.ip': 'IP_ADDRESS',
  'source.labels': 'STRING_MAP',
  'source.name': 'STRING',
  'source.namespace': 'STRING',
  'destination.ip': 'IP_ADDRESS',
  'destination.labels': 'STRING_MAP',
  'destination.service': 'STRING',
  'destination.service.host': 'STRING',
  'connection.duration': 'DURATION',
  'connection.mtls': 'BOOL',
  'context.protocol': 'STRING',
  'context.reporter.kind': 'STRING',
  'context.time': 'TIMESTAMP',
  'test.bool': 'BOOL',
  'test.double': 'DOUBLE',
  'test.dns': 'DNS_NAME',
  'test.email': 'EMAIL_ADDRESS',
  'test.uri': 'URI',
  key: 'STRING',
  word: 'STRING',
  ratio: 'DOUBLE',
  elapsed: 'DURATION',
  at: 'TIMESTAMP',
  address: 'IP_ADDRESS',
  flag: 'BOOL',
  count: 'INT64',
  other: 'INT64',
  map: 'STRING_MAP',
});
