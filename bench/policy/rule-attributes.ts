import type { AttributeTypes, ValueType } from '../../src/expressions/expression-types.js';

const TYPES: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['destination.service.host', 'STRING'],
  ['request.headers', 'STRING_MAP'],
  ['request.method', 'STRING'],
  ['request.path', 'STRING'],
  ['source.principal', 'STRING'],
]);

/** The attributes that rules of the benchmark read. */
export const RULE_ATTRIBUTES: AttributeTypes = { typeOf: (name) => TYPES.get(name), names: () => TYPES.keys() };
