import test from 'ava';
import { createPendingPushes } from '../../src/push/debouncer.js';
import fc from '../support/property-testing.js';
import { pushRequest } from '../support/push-requests.js';

const TIMES = { afterMs: 100, maxMs: 1000 };
const endpointsOf = (...hosts: readonly string[]) => pushRequest({ full: false, endpoints: new Set(hosts) });

test('no push is due before a change, and no change is pushed twice', (t) => {
  const pending = createPendingPushes(TIMES);
  t.is(pending.dueMs(), undefined);
  t.is(pending.take(10_000), undefined);
  pending.add(endpointsOf('a'), 0);
  t.is(pending.dueMs(), 100);
  t.is(pending.take(99), undefined);
  t.deepEqual(pending.take(100)?.endpoints, new Set(['a']));
  t.is(pending.take(200), undefined);
  t.is(pending.dueMs(), undefined);
});

test('endpoints of a host do not wait for those of other hosts that change all the time', (t) => {
  const pending = createPendingPushes(TIMES);
  const taken: [atMs: number, hosts: number][] = [];
  for (let nowMs = 0; nowMs < 500; nowMs += 10) {
    const request = pending.take(nowMs);
    if (request !== undefined) taken.push([nowMs, request.endpoints.size]);
    pending.add(endpointsOf(`host-${nowMs}`), nowMs);
  }
  t.deepEqual(taken, [
    [100, 10],
    [200, 10],
    [300, 10],
    [400, 10],
  ]);
});

test('a host that changes repeatedly waits for a pause, and does not hold back other hosts', (t) => {
  const pending = createPendingPushes(TIMES);
  pending.add(endpointsOf('restless'), 0);
  pending.add(endpointsOf('a'), 40);
  pending.add(endpointsOf('restless'), 80);
  t.deepEqual(pending.take(140)?.endpoints, new Set(['a']));
  pending.add(endpointsOf('restless'), 150);
  t.is(pending.take(249), undefined);
  t.deepEqual(pending.take(250)?.endpoints, new Set(['restless']));
});

test('a host that changes continuously waits for NAV_DEBOUNCE_MAX', (t) => {
  const pending = createPendingPushes(TIMES);
  for (let nowMs = 0; nowMs < 1000; nowMs += 50) {
    t.is(pending.take(nowMs), undefined);
    pending.add(endpointsOf('restless'), nowMs);
  }
  t.is(pending.dueMs(), 1000);
  t.deepEqual(pending.take(1000)?.endpoints, new Set(['restless']));
});

test('hosts that changed together wait together', (t) => {
  const pending = createPendingPushes(TIMES);
  pending.add(endpointsOf('a'), 0);
  pending.add(endpointsOf('b'), 10);
  pending.add(endpointsOf('a', 'b'), 90);
  t.is(pending.take(120), undefined);
  t.deepEqual(pending.take(190)?.endpoints, new Set(['a', 'b']));
});

test('a full change waits only for full changes, and includes all waiting changes', (t) => {
  const pending = createPendingPushes(TIMES);
  pending.add(pushRequest({ changed: new Set(['Service/ns/a']) }), 0);
  pending.add(endpointsOf('restless'), 50);
  pending.add(pushRequest({ changed: new Set(['Service/ns/b']) }), 60);
  pending.add(endpointsOf('restless'), 140);
  t.is(pending.take(159), undefined);
  const request = pending.take(160);
  t.deepEqual(request?.changed, new Set(['Service/ns/a', 'Service/ns/b']));
  t.deepEqual(request?.endpoints, new Set(['restless']));
  t.is(pending.dueMs(), undefined);
});

test('endpoints that are due do not take a full change with them that is not', (t) => {
  const pending = createPendingPushes(TIMES);
  pending.add(endpointsOf('a'), 0);
  pending.add(pushRequest(), 50);
  t.false(pending.take(100)?.full ?? true);
  t.true(pending.take(150)?.full);
});

const CHANGE = fc.record({
  waitMs: fc.integer({ min: 0, max: 150 }),
  full: fc.boolean(),
  hosts: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }),
});

test('every change is pushed once, not before its time and not after its latest time', (t) => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 40 }), (changes) => {
      const pending = createPendingPushes(TIMES);
      const waiting = new Map<string, number>();
      let nowMs = 0;
      const takeUntil = (untilMs: number): void => {
        for (let due = pending.dueMs(); due !== undefined && due <= untilMs; due = pending.dueMs()) {
          const request = pending.take(due);
          if (request === undefined || request.changed === 'everything')
            throw new Error('nothing is due when it should');
          for (const key of request.changed) {
            t.true(waiting.has(key), 'nothing is pushed twice');
            t.true(due - (waiting.get(key) ?? 0) <= TIMES.maxMs);
            waiting.delete(key);
          }
        }
      };
      for (const [index, { waitMs, full, hosts }] of changes.entries()) {
        nowMs += waitMs;
        takeUntil(nowMs);
        const key = `QuotaSpec/ns/${index}`;
        waiting.set(key, nowMs);
        pending.add(pushRequest({ full, endpoints: new Set(hosts), changed: new Set([key]) }), nowMs);
      }
      takeUntil(nowMs + TIMES.maxMs);
      t.is(waiting.size, 0);
    }),
  );
});
