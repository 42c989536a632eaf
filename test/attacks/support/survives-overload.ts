import { describeOutcome, problemsOf } from './problems.js';
import { loadAttack } from './run-attack.js';
import { type AttackTest, sharedCluster } from './shared-cluster.js';
import { parseReport, SERVED } from './twice-capacity.js';
import { putUnderAttack } from './under-attack.js';

/** The share of its capacity that an overloaded server still serves. Measured: more than half. */
const SERVED_PART = 1 / 5;

/**
 * Longest wait of a user beside the overload. Under attacks it is a second. Under overload, the server shares the
 * processor with the callers and with other programs of the machine.
 */
const LONGEST_WAIT_MS = 5_000;

/**
 * The test of a service that gets twice the load that it can serve: the server survives as it survives attacks, continues
 * to serve, and rejects the rest only in the documented ways.
 *
 * @param name file in `attacks/`, without `.ts`, that returns the report of `twice-capacity.ts`
 * @param refusals how rejected calls may end
 */
export async function survivesTwiceItsCapacity(name: string, refusals: readonly RegExp[]): Promise<AttackTest> {
  const { title } = await loadAttack(name);
  return {
    title: `the server survives ${title}`,
    run: async (t) => {
      const outcome = await putUnderAttack(await sharedCluster(), [name]);
      t.log(describeOutcome(outcome));
      t.deepEqual(problemsOf(outcome, LONGEST_WAIT_MS), []);
      const { capacity, servedPerSecond, outcomes } = parseReport(outcome.attacks[0] ?? '');
      t.true(capacity > 0);
      t.true(servedPerSecond >= capacity * SERVED_PART, `${servedPerSecond} of ${capacity} a second were served`);
      const others = Object.keys(outcomes).filter((each) => each !== SERVED && !refusals.some((one) => one.test(each)));
      t.deepEqual(others, []);
    },
  };
}
