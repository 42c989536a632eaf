import test from 'ava';
import { formatEnvoyReport, isEnvoyGoalMet } from '../../../bench/envoy/envoy-report.js';
import {
  addedMs,
  type RoundResult,
  roundResultOf,
  summarize,
  type Variant,
} from '../../../bench/envoy/round-result.js';

function round(variant: Variant, p50Ms: number, p99Ms: number, cpuUsPerCheck?: number): RoundResult {
  return { variant, requests: 10, failed: 0, p50Ms, p99Ms, lateP99Ms: 0.1, cpuUsPerCheck };
}

const ROUNDS = [
  round('plain', 0.2, 1),
  round('floor', 0.4, 1.5, 100),
  round('policy', 0.5, 1.75, 200),
  // A round in which the machine did something else as well.
  round('plain', 1.2, 10),
  round('floor', 1.4, 10.5, 120),
  round('policy', 1.6, 10.875, 300),
  round('plain', 0.2, 1),
  round('floor', 0.4, 1.25, 110),
  round('policy', 0.5, 1.5, 220),
];

test('a round has the percentiles of its samples, the failures, and the processor time of each check', (t) => {
  const samples = Array.from({ length: 100 }, (_, index) => ({
    latencyMs: index + 1,
    lateMs: (index + 1) / 10,
    isGood: index !== 7,
  }));
  t.deepEqual(roundResultOf('policy', samples, 0.02), {
    variant: 'policy',
    requests: 100,
    failed: 1,
    p50Ms: 50,
    p99Ms: 99,
    lateP99Ms: 9.9,
    cpuUsPerCheck: 200,
  });
  t.is(roundResultOf('plain', samples, undefined).cpuUsPerCheck, undefined);
});

test('what a check adds is compared within each round, so that a bad round does not count', (t) => {
  t.is(addedMs(ROUNDS, 'policy', 'p99Ms'), 0.75);
  t.is(addedMs(ROUNDS, 'floor', 'p99Ms'), 0.5);
  t.deepEqual(summarize(ROUNDS, 'policy'), {
    variant: 'policy',
    failed: 0,
    p50Ms: 0.5,
    p99Ms: 1.75,
    lateP99Ms: 0.1,
    cpuUsPerCheck: 220,
  });
});

test('the goal is at most 1 ms more at p99, and that no request failed', (t) => {
  t.true(isEnvoyGoalMet(ROUNDS));
  t.false(isEnvoyGoalMet([round('plain', 0.2, 1), round('policy', 0.5, 2.01)]));
  t.false(isEnvoyGoalMet([round('plain', 0.2, 1), { ...round('policy', 0.5, 1.5), failed: 1 }]));
});

test('the report shows each variant, what it adds, and whether the goal is met', (t) => {
  const text = formatEnvoyReport(1000, ROUNDS);
  t.regex(text, /^Through Envoy, 1000 requests per second; median of 3 rounds each, in turns\n/);
  t.regex(text, /\nwithout a check +0\.20 +1\.00 +0\.10 +0\n/);
  t.regex(text, /\ncheck by the floor +0\.40 +1\.50 +0\.20 +0\.50 +0\.10 +110 +0\n/);
  t.regex(text, /\ncheck by the policy server +0\.50 +1\.75 +0\.30 +0\.75 +0\.10 +220 +0\n/);
  t.true(text.includes('adds at most 1 ms at p99: met.'));
});
