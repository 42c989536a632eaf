import test from 'ava';
import type { PushRequest } from '../../src/model/push-request.js';
import { createPushActivityLog } from '../../src/push/push-activity-log.js';
import type { PushMetrics } from '../../src/push/push-metrics.js';
import { TimeHistogram } from '../../src/push/time-histogram.js';

function clockAt(start: number) {
  let ms = start;
  return {
    monotonicMs: () => ms,
    now: () => new Date(ms),
    schedule: () => () => undefined,
    advance: (by: number) => {
      ms += by;
    },
  };
}

function request(fields: Partial<PushRequest> = {}): PushRequest {
  return {
    full: true,
    changed: new Set(['ServiceEntry/shop/a']),
    endpoints: new Set(),
    addresses: new Set(),
    reasons: ['config'],
    startMs: 0,
    ...fields,
  };
}

test('a push is remembered with its reasons, size and the time of each stage', (t) => {
  const clock = clockAt(1_000_000);
  const log = createPushActivityLog(clock);
  const push = request({
    reasons: ['config', 'endpoint', 'config'],
    endpoints: new Set(Array.from({ length: 40 }, (_, index) => `host-${index}`)),
    startMs: 999_880,
  });
  clock.advance(7);
  log.begun({ request: push, version: 'v1', proxies: 3, begunMs: 1_000_000, builtMs: 1_000_005 });
  const [record] = log.pushes();
  t.like(record, { number: 1, version: 'v1', proxies: 3, objects: 1, hosts: 40, full: true });
  t.deepEqual(record?.stages, { mergeMs: 120, buildMs: 5, selectMs: 2 });
  t.deepEqual(
    [...(record?.reasons ?? [])],
    [
      ['config', 2],
      ['endpoint', 1],
    ],
  );
  t.is(record?.firstHosts.length, 12);
});

test('the times that proxies report are those of the push that began with their change', (t) => {
  const clock = clockAt(1_000_000);
  const log = createPushActivityLog(clock);
  const reported: number[] = [];
  const metrics = log.observing({ converged: (seconds: number) => reported.push(seconds) } as unknown as PushMetrics);
  log.begun({
    request: request({ startMs: 999_900 }),
    version: 'v1',
    proxies: 2,
    begunMs: 1_000_000,
    builtMs: 1_000_000,
  });
  log.begun({
    request: request({ startMs: 1_000_000 }),
    version: 'v2',
    proxies: 2,
    begunMs: 1_000_000,
    builtMs: 1_000_000,
  });
  clock.advance(50);
  metrics.converged(0.15);
  clock.advance(30);
  metrics.converged(0.18);
  metrics.converged(0.08);
  const [second, first] = log.pushes();
  t.deepEqual([first?.sent, first?.lastSentMs], [2, 180]);
  t.deepEqual([second?.sent, second?.lastSentMs], [1, 80]);
  t.deepEqual(reported, [0.15, 0.18, 0.08], 'the metrics count them too');
  const newest = log.minutes().at(-1);
  t.is(newest?.pushes, 2);
  t.true((newest?.p99Ms ?? 0) >= 180 && (newest?.p99Ms ?? 0) < 200);
  t.true((newest?.p50Ms ?? 0) >= 150 && (newest?.p50Ms ?? 0) < 166);
});

test('a minute without pushes has none, and the charts end fifteen minutes ago', (t) => {
  const clock = clockAt(1_000_000);
  const log = createPushActivityLog(clock);
  log.begun({ request: request(), version: 'v1', proxies: 0, begunMs: 1_000_000, builtMs: 1_000_000 });
  clock.advance(61_000);
  const minutes = log.minutes();
  t.is(minutes.length, 90);
  t.deepEqual([minutes.at(-1)?.pushes, minutes.at(-1)?.p50Ms], [0, undefined]);
  t.is(minutes.filter(({ pushes }) => pushes === 1).length, 6);
  clock.advance(3_600_000);
  t.true(log.minutes().every(({ pushes }) => pushes === 0));
});

test('two hundred pushes are remembered', (t) => {
  const clock = clockAt(1_000_000);
  const log = createPushActivityLog(clock);
  for (let index = 0; index < 250; index++) {
    log.begun({ request: request(), version: `v${index}`, proxies: 0, begunMs: 0, builtMs: 0 });
  }
  t.is(log.pushes().length, 200);
  t.is(log.pushes()[0]?.number, 250);
});

test('a quantile of the histogram is at most a tenth above the exact one', (t) => {
  const histogram = new TimeHistogram();
  t.is(histogram.quantile(0.5), undefined);
  for (let ms = 1; ms <= 1000; ms++) histogram.add(ms);
  for (const part of [0.01, 0.5, 0.9, 0.99]) {
    const found = histogram.quantile(part) ?? 0;
    t.true(found >= part * 1000 && found <= part * 1000 * 1.1 + 0.1, `${part}: ${found}`);
  }
});
