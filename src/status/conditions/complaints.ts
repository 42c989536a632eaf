import type { Verdict } from './condition.js';
import { REASONS } from './reasons.js';

/** Follow from another verdict, which says why, or pass by themselves. */
const NO_COMPLAINTS: ReadonlySet<string> = new Set([
  REASONS.notAccepted,
  REASONS.refsNotResolved,
  REASONS.inProgress,
  REASONS.notTracked,
  REASONS.notAnalyzed,
]);

/** The verdicts that an object's owner should be told of: rejected, dangling, not in force. */
export function complaintsOf(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.filter(({ status, reason }) => status === 'False' && !NO_COMPLAINTS.has(reason));
}
