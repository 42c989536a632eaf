import test from 'ava';
import type { PushRequest } from '../../src/model/push-request.js';
import { createDistributionLedger } from '../../src/push/distribution-ledger.js';
import { createDistributor } from '../../src/push/distributor.js';
import type { PushMetrics } from '../../src/push/push-metrics.js';
import type { PushNotice } from '../../src/push/push-notice.js';
import { createFakeClock } from '../support/fake-clock.js';
import { pushRequest } from '../support/push-requests.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { createDefaultContext } from '../xds/default-context.js';

const SHARE = { lane: 'plaintext', peer: '10.0.0.1', source: '10.0.0.1:1' } as const;

/** A distributor without generators whose snapshots fail while `broken` says so. */
function createSubject() {
  const state = { broken: false };
  const counted: string[] = [];
  const requests: PushRequest[] = [];
  const notices: PushNotice[] = [];
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const metrics = new Proxy({} as PushMetrics, { get: (_, name) => () => counted.push(String(name)) });
  let sequence = 0;
  const distributor = createDistributor(
    {
      debounce: { afterMs: 0, maxMs: 0, debounceEndpoints: true },
      queue: { throttle: 1, byteBudget: 1, stallMs: 1 },
      controlPlane: '',
    },
    {
      generators: new Map(),
      ledger: createDistributionLedger(60_000),
      metrics,
      clock,
      logger,
      nextContext: (_previous, request) => {
        requests.push(request);
        if (state.broken) throw new Error('no snapshot');
        return createDefaultContext(++sequence);
      },
    },
  );
  const submit = (fields: Partial<PushRequest>): void => {
    distributor.submit(pushRequest(fields));
    clock.advance(0);
  };
  return { state, counted, requests, notices, logger, distributor, submit };
}

test('a push whose snapshot fails is counted, and the next push includes its changes', (t) => {
  const { state, counted, notices, distributor, submit } = createSubject();
  distributor.start();
  distributor.add({
    share: SHARE,
    notePush: (notice) => notices.push(notice) > 0,
    push: () => ({ bytes: 0, writes: undefined }),
  });
  state.broken = true;
  submit({ changed: new Set(['ServiceEntry/a/b']), endpoints: new Set(['lost.example.com']) });
  t.is(counted.filter((name) => name === 'contextError').length, 1);
  t.is(notices.length, 0);
  t.is(distributor.context?.sequence, 1);
  state.broken = false;
  submit({ full: false, changed: new Set(), endpoints: new Set(['next.example.com']) });
  t.deepEqual(
    notices.map(({ request }) => [request.full, request.changed, request.endpoints]),
    [[true, new Set(['ServiceEntry/a/b']), new Set(['lost.example.com', 'next.example.com'])]],
  );
  submit({ full: false, changed: new Set(), endpoints: new Set(['last.example.com']) });
  t.deepEqual(notices.at(-1)?.request.endpoints, new Set(['last.example.com']));
});

test('after a first snapshot that fails, the next change builds one', (t) => {
  const { state, distributor, submit } = createSubject();
  state.broken = true;
  distributor.start();
  t.is(distributor.context, undefined);
  state.broken = false;
  submit({ changed: new Set(['ServiceEntry/a/b']) });
  t.is(distributor.context?.sequence, 1);
});

test('changes before the start are part of the first snapshot and push nothing', (t) => {
  const { requests, distributor, submit } = createSubject();
  submit({});
  t.deepEqual(requests, []);
  distributor.start();
  t.is(requests.length, 1);
});

test('a subscriber that throws does not affect the others', (t) => {
  const { counted, notices, logger, distributor, submit } = createSubject();
  distributor.start();
  const push = () => ({ bytes: 0, writes: undefined });
  distributor.add({
    share: SHARE,
    notePush: () => {
      throw new Error('broken');
    },
    push,
  });
  distributor.add({ share: SHARE, notePush: (notice) => notices.push(notice) > 0, push });
  submit({});
  t.is(notices.length, 1);
  t.true(counted.includes('internalError'));
  t.true(logger.records.some(({ level, message }) => level === 'error' && /subscriber failed/.test(message)));
});
