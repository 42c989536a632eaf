import type { AttributeBag } from './attribute-bag.js';
import type { AttributeValue } from './attribute-value.js';
import type { Parts } from './parts-tree.js';

/** How an answer depends on an attribute. REGEX: any matching value gives the answer; such answers are not cached. */
export type ReferenceCondition = 'ABSENCE' | 'EXACT' | 'REGEX';

export interface AttributeReference {
  readonly name: string;
  /** The entry of a string map; missing for the whole attribute. */
  readonly mapKey?: string;
  readonly condition: ReferenceCondition;
}

/** The attributes that an answer depends on, in any order (docs/reference/policy-client.md#check-cache). */
export type ReferencedAttributes = readonly AttributeReference[];

/** A list of references in canonical order, shared by the cached answers with the same references. */
export interface ReferencePattern {
  /** Equal for lists that reference the same in another order. */
  readonly id: string;
  readonly references: ReferencedAttributes;
}

/** Puts references in order; undefined when a condition keeps the answer from being cached. */
export function referencePattern(referenced: ReferencedAttributes): ReferencePattern | undefined {
  if (referenced.some(({ condition }) => condition === 'REGEX')) return undefined;
  const byId = new Map(referenced.map((reference) => [referenceId(reference), reference]));
  const sorted = [...byId].sort(([a], [b]) => (a < b ? -1 : 1));
  return { id: sorted.map(([id]) => id).join(''), references: sorted.map(([, reference]) => reference) };
}

/**
 * The values that the pattern references in the bag, one text for each EXACT. They are equal exactly when an answer for
 * one bag holds for the other. They are not hashed, so that two requests are never confused. Undefined when the bag
 * does not fit: an ABSENCE is present, or an EXACT is absent.
 */
export function referencedValues({ references }: ReferencePattern, bag: AttributeBag): Parts | undefined {
  const parts: string[] = [];
  for (const { name, mapKey, condition } of references) {
    const value = bag.get(name);
    const text = mapKey === undefined ? value && valueText(value) : entryText(value, mapKey);
    if ((text === undefined) !== (condition === 'ABSENCE')) return undefined;
    if (text !== undefined) parts.push(text);
  }
  return parts;
}

function referenceId({ name, mapKey, condition }: AttributeReference): string {
  return `${condition}${sized(name)}${mapKey === undefined ? '-' : sized(mapKey)}`;
}

function entryText(value: AttributeValue | undefined, mapKey: string): string | undefined {
  return value?.type === 'stringMap' ? value.value.get(mapKey) : undefined;
}

/** Starts the texts of all values but ordinary strings, which are by far the most frequent and stand for themselves. */
const ESCAPE = '\0';

/** A different text for each value and type. */
function valueText(value: AttributeValue): string {
  switch (value.type) {
    case 'string':
      return value.value.startsWith(ESCAPE) ? `${ESCAPE}s${value.value}` : value.value;
    case 'bytes':
      return `${ESCAPE}x${Buffer.from(value.value.buffer, value.value.byteOffset, value.value.length).toString('latin1')}`;
    case 'stringMap': {
      const entries = [...value.value].sort(([a], [b]) => (a < b ? -1 : 1));
      return `${ESCAPE}m${entries.length}:${entries.map(([key, entry]) => sized(key) + sized(entry)).join('')}`;
    }
    case 'double':
      return `${ESCAPE}d${Object.is(value.value, -0) ? '-0' : value.value}`;
    case 'int64':
      return `${ESCAPE}i${value.value}`;
    case 'bool':
      return `${ESCAPE}b${value.value}`;
    case 'timestamp':
      return `${ESCAPE}t${value.value}`;
    case 'duration':
      return `${ESCAPE}u${value.value}`;
  }
}

function sized(text: string): string {
  return `${text.length}:${text}`;
}
