import test from 'ava';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { describeOutcome, problemsOf } from './problems.js';
import { loadAttack } from './run-attack.js';
import { type AttackOptions, putUnderAttack } from './under-attack.js';

const { available: binary } = requireKubernetes();

/**
 * Declares the test that the server survives attacks that run at the same time: it lives, its resident memory stays
 * under the limit of `manifests/`, no legitimate user fails, and none waits longer than a second.
 *
 * @param names files in `attacks/`, without `.ts`
 */
export async function survives(names: readonly string[], options: AttackOptions = {}): Promise<void> {
  const { scale = 1 } = options;
  const titles = await Promise.all(names.map(async (name) => (await loadAttack(name)).title));
  const title = `the server survives ${titles.join(', and at the same time ')}${scale === 1 ? '' : `, ${scale} times`}`;
  // Without an API server `npm test` says why it is skipped; with REQUIRE_COUNTERPARTS=1 that is an error.
  (binary === undefined ? test.skip : test)(title, async (t) => {
    t.timeout(300_000);
    const outcome = await putUnderAttack(String(binary), names, options);
    t.log(describeOutcome(outcome));
    t.deepEqual(problemsOf(outcome), []);
  });
}
