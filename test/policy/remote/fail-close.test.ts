import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import type { QuotaResult } from '../../../src/policy/client/policy-transport.js';
import { createRemoteHandler } from '../../../src/policy/remote/remote-handler.js';
import { eventually } from '../../support/eventually.js';
import { allow } from '../../support/policy-server.js';
import { createRig, httpCheck, httpConfigText } from '../server/policy-server-rig.js';
import { startRemote } from './remote-rig.js';

const BOOKS = 'books.default.svc.cluster.local';
const REQUESTS = 60;

for (const [policy, expected] of [
  ['FAIL_CLOSE', { passed: 9, refused: REQUESTS - 9 }],
  ['FAIL_OPEN', { passed: REQUESTS, refused: 0 }],
] as const) {
  test(`with caches on and the backend at an address gone, ${policy} lets ${expected.passed} of ${REQUESTS} requests pass`, async (t) => {
    const remote = await startRemote(t);
    const networkFailPolicy = { policy, maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' };
    const quotaSpec = [{ rules: [{ match: [], quotas: [{ quota: 'reads', charge: 1 }] }] }];
    const rig = createRig({ services: { [BOOKS]: { quotaSpec, networkFailPolicy } } });
    rig.handlers.use([
      createRemoteHandler({
        transport: remote.transport,
        clock: rig.clock,
        random: () => 0.5,
        createId: () => 'client',
        onCounted: () => undefined,
        onReportsLost: () => undefined,
      }),
    ]);
    const call = { configText: httpConfigText({}), service: BOOKS };
    const code = async () => (await rig.ask(httpCheck(), call)).status.code;

    const answerNext = async (index: number, grantedAmount: number): Promise<void> => {
      await eventually(`call ${index} arrives`, () => remote.backend.checks.length > index);
      const granted: QuotaResult = { grantedAmount, referencedAttributes: [] };
      remote.backend.checks[index]?.answer({ precondition: allow(), quotas: new Map([['reads', granted]]) });
    };
    const first = code();
    await answerNext(0, 1);
    t.is(await first, 0);
    const second = code();
    await answerNext(1, 10);
    t.is(await second, 0);
    // Answers of one connection arrive in order: with this one the units are there.
    const request = { attributes: bagOf(EMPTY_LAYER), deduplicationId: 'last', quotas: new Map() };
    const last = remote.transport.check(request, { timeoutMs: 60_000, signal: new AbortController().signal });
    await answerNext(2, 0);
    await last;

    remote.kill();
    const outcome = { passed: 0, refused: 0 };
    for (let n = 0; n < REQUESTS; n++) {
      const status = await code();
      if (status === 0) outcome.passed++;
      else if (status === 14) outcome.refused++;
    }
    t.deepEqual(outcome, expected);
  });
}
