import { COMPILED_ADAPTERS } from './catalogue/compiled-adapters.js';
import { COMPILED_TEMPLATES } from './catalogue/compiled-templates.js';

/**
 * How to write an object of the older public form, in which each adapter and template has a kind of its own. Undefined for
 * other kinds.
 */
export function olderFormRemedy(kind: string): string | undefined {
  if (COMPILED_ADAPTERS.has(kind)) {
    return `write kind handler with spec.compiledAdapter: ${kind}, move the fields of spec to spec.params, and let rules name the handler without .${kind}`;
  }
  if (COMPILED_TEMPLATES.has(kind)) {
    return `write kind instance with spec.compiledTemplate: ${kind}, move the fields of spec to spec.params, and let rules name the instance without .${kind}`;
  }
  return undefined;
}
