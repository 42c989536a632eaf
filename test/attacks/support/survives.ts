import { describeOutcome, problemsOf } from './problems.js';
import { loadAttack } from './run-attack.js';
import { type AttackTest, sharedCluster } from './shared-cluster.js';
import { type AttackOptions, putUnderAttack } from './under-attack.js';

/**
 * The test that the server survives attacks that run at the same time: it lives, its resident memory stays under the limit
 * of `manifests/`, no legitimate user fails, and none waits longer than a second.
 *
 * @param names files in `attacks/`, without `.ts`
 */
export async function survives(names: readonly string[], options: AttackOptions = {}): Promise<AttackTest> {
  const { scale = 1 } = options;
  const titles = await Promise.all(names.map(async (name) => (await loadAttack(name)).title));
  return {
    title: `the server survives ${titles.join(', and at the same time ')}${scale === 1 ? '' : `, ${scale} times`}`,
    run: async (t) => {
      const outcome = await putUnderAttack(await sharedCluster(), names, options);
      t.log(describeOutcome(outcome));
      t.deepEqual(problemsOf(outcome), []);
    },
  };
}
