import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { PlanSpec } from '../../config/plans/plan.js';
import type { AttributeMatchSpec, QuotaSpec } from '../../config/policy/quota-spec.js';
import type { PushContext } from '../../model/push-context.js';

/** A list of conditions, one of which must match: the field `match` of a rule, of a plan or of a limit. */
export interface ConditionList {
  /** Path of the object that has the field. */
  readonly path: string;
  readonly owner: 'rule' | 'plan' | 'limit';
  readonly match: readonly AttributeMatchSpec[];
}

/** The objects that have conditions on requests, each with its lists in the order of the object. */
export function* withConditions({
  objects,
}: Pick<PushContext, 'objects'>): Iterable<readonly [ObjectKey, readonly ConditionList[], MeshObject]> {
  for (const kind of ['QuotaSpec', 'Plan']) {
    for (const [key, object] of objects.get(kind) ?? []) yield [key, listsOf(object), object];
  }
}

function listsOf({ kind, body }: MeshObject): readonly ConditionList[] {
  if (kind === 'QuotaSpec') {
    const { rules } = body as QuotaSpec;
    return rules.map(({ match }, index) => ({ path: `spec.rules[${index}]`, owner: 'rule', match }));
  }
  const { match, limits } = body as PlanSpec;
  return [
    { path: 'spec', owner: 'plan', match },
    ...limits.map((limit, index) => ({
      path: `spec.limits[${index}]`,
      owner: 'limit' as const,
      match: limit.match,
    })),
  ];
}
