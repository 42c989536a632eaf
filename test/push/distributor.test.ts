import test from 'ava';
import type { PushContext } from '../../src/model/push-context.js';
import type { PushRequest } from '../../src/model/push-request.js';
import { createDistributionLedger } from '../../src/push/distribution-ledger.js';
import { createDistributor, type Subscriber } from '../../src/push/distributor.js';
import type { PushMetrics } from '../../src/push/push-metrics.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { pushRequest } from '../support/push-requests.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { createDefaultContext } from '../xds/default-context.js';

function setUp(tracking = true) {
  const clock = createFakeClock();
  const triggers: string[] = [];
  let contextErrors = 0;
  let versions: Record<string, string> = { a: '1' };
  let fails = false;
  let sequence = 0;
  const metrics: Partial<PushMetrics> = {
    triggered: (reason) => void triggers.push(reason),
    contextError: () => void contextErrors++,
  };
  const distributor = createDistributor(
    {
      debounce: { afterMs: 100, maxMs: 1000, debounceEndpoints: true },
      queue: { throttle: 10, byteBudget: 1 << 20, stallMs: 200 },
      controlPlane: 'test',
    },
    {
      generators: new Map(),
      ledger: tracking ? createDistributionLedger(60_000) : undefined,
      metrics: metrics as PushMetrics,
      clock,
      logger: createRecordingLogger(),
      nextContext: () => {
        if (fails) throw new Error('no');
        const objects = Object.entries(versions).map(
          ([name, resourceVersion]) => [`Service/ns/${name}`, { metadata: { resourceVersion } }] as const,
        );
        return {
          ...createDefaultContext(++sequence),
          objects: new Map([['Service', new Map(objects)]]),
        } as unknown as PushContext;
      },
    },
  );
  return {
    clock,
    triggers,
    distributor,
    contextErrors: () => contextErrors,
    setVersions: (next: Record<string, string>) => {
      versions = next;
    },
    setFails: (next: boolean) => {
      fails = next;
    },
  };
}

function createSubscriber(concerned = true): Subscriber & { readonly told: PushRequest[]; turns: number } {
  return {
    told: [],
    turns: 0,
    notePush(notice) {
      this.told.push(notice.request);
      return concerned;
    },
    takeTurn() {
      this.turns++;
      return { bytes: 0, flushed: undefined };
    },
  };
}

test('before the start nothing is pushed, and changes are part of the first snapshot', (t) => {
  const { distributor, clock, triggers } = setUp();
  distributor.submit(pushRequest());
  clock.advance(10_000);
  t.is(distributor.context, undefined);
  t.is(distributor.pushAll('debug'), 0);
  distributor.start();
  t.is(distributor.context?.version, 'v1');
  t.is(clock.timers, 0);
  t.deepEqual(triggers, []);
});

test('a change tells every subscriber once and gives a turn to those it concerns', async (t) => {
  const { distributor, clock, triggers } = setUp();
  distributor.start();
  const [concerned, other] = [createSubscriber(), createSubscriber(false)];
  distributor.add(concerned);
  distributor.add(other);
  distributor.submit(pushRequest({ reasons: ['service'] }));
  distributor.submit(pushRequest({ reasons: ['config'] }));
  clock.advance(100);
  await eventually('the turn', () => concerned.turns === 1);
  t.is(concerned.told.length, 1);
  t.is(other.told.length, 1);
  t.is(other.turns, 0);
  t.deepEqual(triggers, ['service', 'config']);
  t.is(distributor.context?.version, 'v2');
});

test('the root follows the versions of what changed, and is empty without tracking', (t) => {
  const { distributor, clock, setVersions } = setUp();
  distributor.start();
  const first = distributor.root;
  setVersions({ a: '2' });
  distributor.submit(pushRequest({ changed: new Set(['Service/ns/a']) }));
  clock.advance(100);
  t.not(distributor.root, first);
  setVersions({ a: '1' });
  distributor.submit(pushRequest({ changed: new Set(['Service/ns/a']) }));
  clock.advance(100);
  t.is(distributor.root, first);
  const untracked = setUp(false).distributor;
  untracked.start();
  t.is(untracked.root, '');
});

test('a snapshot that cannot be built is counted, and the last one is served on', (t) => {
  const { distributor, clock, setFails, contextErrors } = setUp();
  distributor.start();
  const subscriber = createSubscriber();
  distributor.add(subscriber);
  setFails(true);
  distributor.submit(pushRequest());
  clock.advance(100);
  t.is(contextErrors(), 1);
  t.is(distributor.context?.version, 'v1');
  t.is(subscriber.told.length, 0);
  setFails(false);
  t.is(distributor.pushAll('debug'), 1);
});

test('a subscriber that left is told nothing more', (t) => {
  const { distributor } = setUp();
  distributor.start();
  const subscriber = createSubscriber();
  distributor.add(subscriber);
  distributor.remove(subscriber);
  t.is(distributor.pushAll('debug'), 0);
  t.is(subscriber.told.length, 0);
});
