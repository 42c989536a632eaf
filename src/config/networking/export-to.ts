import { isDnsLabel } from '../primitives.js';
import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';

/**
 * Rules of `exportTo`: `.`, `*` or namespaces; `*` only alone; no duplicates
 * (docs/reference/validation-rules.md#exportto).
 */
export function validateExportTo(exportTo: readonly string[], path = 'exportTo'): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [index, namespace] of exportTo.entries()) {
    if (namespace !== '.' && namespace !== '*' && !isDnsLabel(namespace)) {
      violations.push({
        path: `${path}[${index}]`,
        value: namespace,
        message: 'is not a namespace',
        remedy: 'use "." for the namespace of the object, "*" for all, or a name',
      });
    }
  }
  for (const { index } of repeatedValues(exportTo)) {
    violations.push({
      path: `${path}[${index}]`,
      value: exportTo[index],
      message: 'is listed twice',
      remedy: 'list each namespace once',
    });
  }
  if (exportTo.includes('*') && exportTo.length > 1) {
    violations.push({
      path,
      value: exportTo,
      message: 'names "*" together with other namespaces',
      remedy: 'keep "*" alone, or list the namespaces',
    });
  }
  return violations;
}
