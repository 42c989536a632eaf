import type { AttributeBag } from '../../policy/client/attribute-bag.js';
import { shortKeyId } from '../../policy/quota/credential-hash.js';
import { dimensionText } from '../../policy/quota/dimension-text.js';

const MS_NS = 1_000_000n;

/**
 * An attribute of a request as a person reads it: times in RFC 3339, durations in milliseconds, maps as `name=value` in the
 * order of their names, and of the hash of an API key the beginning. Empty for an attribute that the request lacks.
 */
export function attributeText(name: string, bag: AttributeBag): string {
  const value = bag.get(name);
  if (value?.type === 'timestamp') return new Date(Number(value.value / MS_NS)).toISOString();
  if (value?.type === 'duration') return `${Number(value.value) / Number(MS_NS)} ms`;
  if (value?.type === 'stringMap') {
    const names = [...value.value.keys()].sort();
    return names.map((key) => `${key}=${value.value.get(key)}`).join(', ');
  }
  const text = dimensionText({ text: name, attribute: name }, bag) ?? '';
  const short = shortKeyId(text);
  return short === text ? text : `${short}…`;
}
