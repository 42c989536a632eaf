import type { AttributeTypes, ValueType } from '../../expressions/expression-types.js';
import { ATTRIBUTE_VOCABULARY, type VocabularyType } from '../attributes/attribute-vocabulary.js';

/** The types of attributes, in the order of the public enumeration. */
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
] as const satisfies readonly ValueType[];

/** The types of expressions for those of the vocabulary. All bytes of the vocabulary are IP addresses. */
const TYPES: Readonly<Record<VocabularyType, ValueType>> = {
  string: 'STRING',
  int64: 'INT64',
  bool: 'BOOL',
  bytes: 'IP_ADDRESS',
  timestamp: 'TIMESTAMP',
  duration: 'DURATION',
  stringMap: 'STRING_MAP',
};

const BY_NAME: ReadonlyMap<string, ValueType> = new Map(
  ATTRIBUTE_VOCABULARY.map(({ name, type }) => [name, TYPES[type]]),
);

/** The type of an attribute of the mesh (docs/attributes.md); undefined for other names. */
export function attributeType(name: string): ValueType | undefined {
  return BY_NAME.get(name);
}

/**
 * The attributes that expressions may read: those of the mesh, and those of attributemanifests.
 *
 * @param declared types of the attributes of manifests; they cannot change those of the mesh
 */
export function attributeTypes(declared: ReadonlyMap<string, ValueType> = new Map()): AttributeTypes {
  return {
    typeOf: (name) => BY_NAME.get(name) ?? declared.get(name),
    names: () => [...BY_NAME.keys(), ...declared.keys()],
  };
}
