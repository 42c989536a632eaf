import { COMPILED_ADAPTERS } from './catalogue/compiled-adapters.js';
import { COMPILED_TEMPLATES } from './catalogue/compiled-templates.js';
import type { ReferenceTarget } from './object-reference.js';

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

/**
 * How to write a reference of the older public form, `refuse.denier` or `refuse.denier.shop`. Undefined for others.
 *
 * @param target the place that the text was read as
 */
export function olderReferenceRemedy(kind: string, target: ReferenceTarget): string | undefined {
  const known = kind === 'handler' ? COMPILED_ADAPTERS : kind === 'instance' ? COMPILED_TEMPLATES : undefined;
  const parts = target.name.split('.');
  const older = [target.namespace, parts.at(-1) ?? ''].find((part) => known?.has(part));
  if (older === undefined) return undefined;
  const name = (older === target.namespace ? parts : parts.slice(0, -1)).join('.');
  return `${older} is no part of references here: write ${name}, or ${name}.${kind}.NAMESPACE`;
}
