import { createBackgroundLane } from '../../../src/base/background-lane.js';
import type { Clock } from '../../../src/base/clock.js';
import { createAuthorizationJudge } from '../../../src/generators/authorization/authorization-judge.js';
import type { AdapterEnvironment } from '../../../src/policy/rules/adapters/adapter.js';
import { createSeriesRegistry } from '../../../src/policy/rules/adapters/series/series-registry.js';
import { createReportBudget } from '../../../src/policy/rules/reports/report-budget.js';

/** What adapters get in tests that reach no server. */
export function unreachedEnvironment(clock: Clock): AdapterEnvironment {
  return {
    clock,
    random: () => 0.5,
    writeLine: () => undefined,
    openStore: () => {
      throw new Error('no Redis is reached here');
    },
    judgeBy: createAuthorizationJudge,
    buildOwn: () => {
      throw new Error("no adapters of one's own are called here");
    },
    fetchText: async (url) => {
      throw new Error(`${url} is not reached here`);
    },
    openSender: () => {
      throw new Error('no collector is reached here');
    },
    budget: createReportBudget(),
    reports: { sent: () => undefined, lost: () => undefined },
    randomId: (bytes) => '1'.padStart(2 * bytes, '0'),
    background: createBackgroundLane(clock, 0.1),
    series: createSeriesRegistry({ nowMs: clock.monotonicMs, isTaken: () => false, onRefused: () => undefined }),
  };
}
