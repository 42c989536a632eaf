import { referenceForms } from '../../../config/policy-rules/object-reference.js';
import type { ResolvedRule } from './resolved-objects.js';

/** The names by which QuotaSpecs can charge quotas that rules count. */
export function countedQuotas(rules: readonly ResolvedRule[]): ReadonlySet<string> {
  const instances = rules.flatMap(({ actions }) => actions.flatMap((action) => action.instances));
  return new Set(
    instances.flatMap(({ template, object: { metadata } }) =>
      template.type === 'compiled' && template.template.variety === 'quota'
        ? referenceForms('instance', metadata.namespace, metadata.name)
        : [],
    ),
  );
}
