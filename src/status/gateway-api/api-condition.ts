import { isRecord } from '../../base/record.js';
import type { ReportedCondition } from '../../model/gateway-api/report.js';

/** An item of a list of conditions of the Gateway API. */
export interface ApiCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  /** RFC 3339, in whole seconds: time of the last change of `status`. */
  readonly lastTransitionTime: string;
}

/** Longest message that the CRDs accept. */
const MAX_MESSAGE = 32_768;

/**
 * The conditions of a list after a report: those of other controllers first, as they are.
 *
 * @param present the list at the API server
 * @param generation that was judged
 */
export function nextApiConditions(
  reported: readonly ReportedCondition[],
  present: unknown,
  generation: number,
  now: Date,
): readonly unknown[] {
  const known = Array.isArray(present) ? present.filter(isRecord) : [];
  const types = new Set(reported.map(({ type }) => type));
  const others = known.filter(({ type }) => typeof type !== 'string' || !types.has(type));
  const own = reported.map(({ type, status, reason, message }): ApiCondition => {
    const before = known.find((each) => each['type'] === type);
    const text = status ? 'True' : 'False';
    const since = before?.['status'] === text ? before['lastTransitionTime'] : undefined;
    return {
      type,
      status: text,
      reason,
      message: message.slice(0, MAX_MESSAGE),
      observedGeneration: generation,
      lastTransitionTime: typeof since === 'string' ? since : `${now.toISOString().slice(0, 19)}Z`,
    };
  });
  return [...others, ...own];
}
