import type { Clock } from '../../base/clock.js';
import { type CheckRegex, checkRegex, createCheckMemo } from '../../config/regex/check-regex.js';
import type { PolicyRegexLimits } from '../../config/regex/regex-limits.js';
import { createRegexPrograms, type RegexPrograms } from '../../config/regex/regex-programs.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { SpecProblem } from '../client/compile-quota-specs.js';
import { createPacedWork, type PacedWork } from './paced-work.js';
import type { PolicyServerMetrics } from './policy-server-metrics.js';

/** What has a budget of its own. */
export type RegexScope = 'service' | 'message';

/** The one place of a policy server for the regular expressions of its users. */
export interface RegexService {
  readonly limits: PolicyRegexLimits;
  readonly work: PacedWork;
  readonly programs: RegexPrograms;
  /** Checks one expression, and remembers. */
  readonly check: CheckRegex;
  /** Parts of policies are left out because they cannot be used. */
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
        'A compiled regular expression was evicted, and is compiled again when it is needed',
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
      limitedLog.warn(
        { scope, count, field, problem: message },
        'Parts of the configuration of a call cannot be used and are left out',
      );
    },
  };
}
