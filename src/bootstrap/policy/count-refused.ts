import type { ObjectKey } from '../../config/object.js';
import type { RuleCounts } from '../../config/policy-rules/rule-counts.js';
import { kindOfKey } from '../../model/push-request.js';

/**
 * The numbers of a configuration, with the objects that sources refuse: the snapshot has their last good state, or none.
 *
 * @param refused keys of refused objects of any kind
 */
export function countRefused(counts: RuleCounts, refused: readonly (ObjectKey | undefined)[]): RuleCounts {
  const of = (kind: string): number =>
    new Set(refused.filter((key) => key !== undefined && kindOfKey(key) === kind)).size;
  return {
    ...counts,
    invalidAdapters: counts.invalidAdapters + of('adapter'),
    invalidHandlers: counts.invalidHandlers + of('handler'),
    invalidInstances: counts.invalidInstances + of('instance'),
    invalidRules: counts.invalidRules + of('rule'),
    invalidTemplates: counts.invalidTemplates + of('template'),
  };
}
