import test from 'ava';
import { areEnvoyGoalsMet, formatEnvoyReport } from '../../../bench/envoy/envoy-report.js';
import {
  addedMs,
  type RoundResult,
  roundResultOf,
  summarize,
  type Variant,
} from '../../../bench/envoy/round-result.js';

function round(variant: Variant, p50Ms: number, p99Ms: number, cpuUsPerCheck?: number): RoundResult {
  const counts = { perSecond: 1000, requests: 10, refused: 0, failed: 0 };
  return { variant, ...counts, p50Ms, p99Ms, longestMs: 2 * p99Ms, lateP99Ms: 0.1, cpuUsPerCheck };
}

const ROUNDS = [
  round('plain', 0.2, 1),
  round('grpcFloor', 0.5, 2, 200),
  round('httpFloor', 0.4, 1.5, 100),
  round('policy', 0.5, 1.75, 180),
  // A round in which the machine did something else as well.
  round('plain', 1.2, 10),
  round('grpcFloor', 1.5, 11, 240),
  round('httpFloor', 1.4, 10.5, 120),
  round('policy', 1.6, 10.875, 300),
  round('plain', 0.2, 1),
  round('grpcFloor', 0.5, 2, 220),
  round('httpFloor', 0.4, 1.5, 110),
  round('policy', 0.5, 1.5, 200),
];

const at = (perSecond: number, results: readonly RoundResult[]): readonly RoundResult[] =>
  results.map((each) => ({ ...each, perSecond }));
const withPolicy = (changed: Partial<RoundResult>): readonly RoundResult[] =>
  ROUNDS.map((each) => (each.variant === 'policy' ? { ...each, ...changed } : each));

test('a round has the percentiles of its samples, the failures, and the processor time of each check', (t) => {
  const samples = Array.from({ length: 100 }, (_, index) => ({
    latencyMs: index + 1,
    lateMs: (index + 1) / 10,
    isGood: index !== 7 && index !== 8 && index !== 9,
  }));
  t.deepEqual(roundResultOf({ variant: 'policy', perSecond: 1000, samples, refused: 2, cpuSeconds: 0.02 }), {
    variant: 'policy',
    perSecond: 1000,
    requests: 100,
    refused: 2,
    failed: 1,
    p50Ms: 50,
    p99Ms: 99,
    longestMs: 90,
    lateP99Ms: 9.9,
    cpuUsPerCheck: 200,
  });
  const unknown = { variant: 'plain', perSecond: 1, samples, refused: 0, cpuSeconds: undefined } as const;
  t.is(roundResultOf(unknown).cpuUsPerCheck, undefined);
});

test('what a check adds is compared within each round, so that a bad round does not count', (t) => {
  t.is(addedMs(ROUNDS, 'policy', 'p99Ms'), 0.75);
  t.is(addedMs(ROUNDS, 'httpFloor', 'p99Ms'), 0.5);
  t.deepEqual(summarize(ROUNDS, 'policy'), {
    variant: 'policy',
    refused: 0,
    failed: 0,
    p50Ms: 0.5,
    p99Ms: 1.75,
    longestMs: 21.75,
    lateP99Ms: 0.1,
    cpuUsPerCheck: 200,
  });
});

test('up to 3,000 requests a second, goals are the processor time, what is added, and that no request is refused', (t) => {
  t.true(areEnvoyGoalsMet(ROUNDS));
  t.true(areEnvoyGoalsMet(at(3000, ROUNDS)));
  t.false(areEnvoyGoalsMet(withPolicy({ cpuUsPerCheck: 201 })));
  t.false(areEnvoyGoalsMet(withPolicy({ p50Ms: 0.6 })));
  t.false(areEnvoyGoalsMet(withPolicy({ p99Ms: 2 })));
  t.false(areEnvoyGoalsMet(withPolicy({ refused: 1 })));
  t.false(areEnvoyGoalsMet(withPolicy({ failed: 1 })));
});

test('above 3,000 requests a second, every request needs an answer in time, and the fail policy may give it', (t) => {
  t.true(areEnvoyGoalsMet(at(10_000, withPolicy({ cpuUsPerCheck: 999, p99Ms: 5000, longestMs: 5500, refused: 5 }))));
  t.false(areEnvoyGoalsMet(at(10_000, withPolicy({ failed: 1 }))));
  t.false(areEnvoyGoalsMet(at(10_000, withPolicy({ longestMs: 6001 }))));
});

test('the report shows each variant at each rate, what it adds, and whether the goals are met', (t) => {
  const text = formatEnvoyReport([...ROUNDS, ...at(3000, withPolicy({ refused: 2 }))]);
  t.regex(text, /^Through Envoy, 1000 requests per second; median of 3 rounds each, in turns\n/);
  t.regex(text, /\nwithout a check +0\.20 +1\.00 +0\.10 +20 +0 +0\n/);
  t.regex(text, /\ncheck by a bare node:http server +0\.40 +1\.50 +0\.20 +0\.50 +0\.10 +21 +110 +0 +0\n/);
  t.regex(text, /\ncheck by a bare grpc-js server +0\.50 +2\.00 +0\.30 +1\.00 +0\.10 +22 +220 +0 +0\n/);
  t.regex(text, /\nadded at p99, by node:http +at most 1\.5 x +1\.50 x +met\n/);
  t.regex(text, /\nThrough Envoy, 3000 requests per second/);
  t.regex(text, /\nrequests refused +at most 0 +6 +missed\n/);
});

test('fast quotas may add what rounds without a check differ by, and are not judged where they were not measured', (t) => {
  const withFast = (p50Ms: number) => [...ROUNDS, ...[0, 1, 0].map((more) => round('fast', p50Ms + more, 1, 8))];
  t.true(areEnvoyGoalsMet(withFast(0.3)));
  t.false(areEnvoyGoalsMet(withFast(1.4)));
  t.regex(formatEnvoyReport(withFast(0.3)), /added at p50 by fast quotas, in noise +at most 1\.00 ms +0\.10 ms +met/);
  t.notRegex(formatEnvoyReport(ROUNDS), /fast quotas/);
});
