import { ATTRIBUTE_VOCABULARY, type VocabularyType } from '../attributes/attribute-vocabulary.js';
import type { ValueType } from './value-type.js';

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
