import test from 'ava';
import type { PushRequest } from '../../src/model/push-request.js';
import { createDebouncer } from '../../src/push/debouncer.js';
import { createFakeClock } from '../support/fake-clock.js';
import { pushRequest } from '../support/push-requests.js';

function setUp(debounceEndpoints = true) {
  const clock = createFakeClock();
  const pushed: { atMs: number; request: PushRequest }[] = [];
  const debouncer = createDebouncer({ afterMs: 100, maxMs: 1000, debounceEndpoints }, clock, (request) =>
    pushed.push({ atMs: clock.monotonicMs(), request }),
  );
  return { clock, pushed, debouncer };
}

test('one change is pushed when it has been quiet for NAV_DEBOUNCE_AFTER', (t) => {
  const { clock, pushed, debouncer } = setUp();
  debouncer.submit(pushRequest());
  clock.advance(99);
  t.is(pushed.length, 0);
  clock.advance(1);
  t.deepEqual(
    pushed.map((push) => push.atMs),
    [100],
  );
});

test('every further change starts the quiet time anew', (t) => {
  const { clock, pushed, debouncer } = setUp();
  debouncer.submit(pushRequest());
  clock.advance(60);
  debouncer.submit(pushRequest());
  clock.advance(60);
  t.is(pushed.length, 0);
  clock.advance(40);
  t.deepEqual(
    pushed.map((push) => push.atMs),
    [160],
  );
});

test('continuous changes are pushed after NAV_DEBOUNCE_MAX', (t) => {
  const { clock, pushed, debouncer } = setUp();
  for (let step = 0; step < 30; step++) {
    debouncer.submit(pushRequest());
    clock.advance(50);
  }
  t.is(pushed[0]?.atMs, 1000);
});

test('merged changes keep every reason, the union of what changed, and the earliest start', (t) => {
  const { clock, pushed, debouncer } = setUp();
  debouncer.submit(pushRequest({ full: false, endpoints: new Set(['a']), reasons: ['endpoint'], startMs: 5 }));
  debouncer.submit(pushRequest({ changed: new Set(['Service/ns/b']), reasons: ['service'], startMs: 3 }));
  debouncer.submit(pushRequest({ full: false, endpoints: new Set(['c']), reasons: ['endpoint'], startMs: 9 }));
  clock.advance(200);
  t.is(pushed.length, 1);
  const [{ request } = { request: pushRequest() }] = pushed;
  t.true(request.full);
  t.deepEqual(request.changed, new Set(['Service/ns/b']));
  t.deepEqual(request.endpoints, new Set(['a', 'c']));
  t.deepEqual(request.reasons, ['endpoint', 'service', 'endpoint']);
  t.is(request.startMs, 3);
});

test('a change of everything includes named changes', (t) => {
  const { clock, pushed, debouncer } = setUp();
  debouncer.submit(pushRequest({ changed: new Set(['Service/ns/b']) }));
  debouncer.submit(pushRequest({ changed: 'everything' }));
  clock.advance(200);
  t.is(pushed[0]?.request.changed, 'everything');
});

test('without NAV_ENABLE_EDS_DEBOUNCE endpoint changes go at once and full ones still wait', (t) => {
  const { clock, pushed, debouncer } = setUp(false);
  debouncer.submit(pushRequest());
  debouncer.submit(pushRequest({ full: false, endpoints: new Set(['a']) }));
  t.deepEqual(
    pushed.map((push) => push.request.full),
    [false],
  );
  clock.advance(100);
  t.deepEqual(
    pushed.map((push) => push.request.full),
    [false, true],
  );
});

test('a stopped debouncer pushes nothing more and leaves no timer', (t) => {
  const { clock, pushed, debouncer } = setUp();
  debouncer.submit(pushRequest());
  debouncer.stop();
  clock.advance(10_000);
  t.is(pushed.length, 0);
  t.is(clock.timers, 0);
});
