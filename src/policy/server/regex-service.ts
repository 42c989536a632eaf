import type { Clock } from '../../base/clock.js';
import { type CheckRegex, checkRegex, createCheckMemo } from '../../config/regex/check-regex.js';
import type { PolicyRegexLimits } from '../../config/regex/regex-limits.js';
import { createRegexPrograms, type RegexPrograms } from '../../config/regex/regex-programs.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { SpecProblem } from '../client/compile-quota-specs.js';
import { createPacedWork, type PacedWork } from './paced-work.js';
import type { PolicyServerMetrics } from './policy-server-metrics.js';

/** The scopes with separate budgets. */
export type RegexScope = 'service' | 'message';

/** All regular expressions of users in a policy server. */
export interface RegexService {
  readonly limits: PolicyRegexLimits;
  readonly work: PacedWork;
  readonly programs: RegexPrograms;
  /** Checks one expression, and remembers. */
  readonly check: CheckRegex;
  /** Counts and logs unusable parts of policies, which are left out. */
  leftOut(scope: RegexScope, count: number, first?: SpecProblem): void;
}

export interface RegexServiceOptions {
  readonly limits: PolicyRegexLimits;
  readonly clock: Clock;
  readonly yieldTurn: () => Promise<void>;
  readonly metrics: PolicyServerMetrics;
  readonly limitedLog: LimitedLog;
}

export function createRegexService(options: RegexServiceOptions): RegexService {
  const { limits, clock, yieldTurn, metrics, limitedLog } = options;
  const programs = createRegexPrograms({
    maxBytes: limits.programsBytes,
    changed: metrics.regexesChanged,
    evicted: (owner) => {
      metrics.regexEvicted();
      limitedLog.warn(
        { owner, setting: 'NAV_REGEX_PROGRAMS_BYTES', limitBytes: limits.programsBytes },
        'compiled regular expression evicted',
      );
    },
  });
  return {
    limits,
    work: createPacedWork({ clock, yieldTurn }),
    programs,
    check: createCheckMemo((text) => checkRegex(text, limits.expressionBytes)),
    leftOut: (scope, count, first) => {
      metrics.policyPartsLeftOut(scope, count);
      if (first === undefined) return;
      const { field, message } = first;
      limitedLog.warn({ scope, count, field, problem: message }, 'unusable parts of a call configuration left out');
    },
  };
}
