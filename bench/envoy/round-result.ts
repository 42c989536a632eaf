import type { LoadSample } from '../load/open-loop.js';
import { median, percentile } from '../measure/statistics.js';

/** The checking server: none, a floor, or the policy server; and Envoy itself by shares (fast), in the order of their rounds. */
export const VARIANTS = ['plain', 'grpcFloor', 'httpFloor', 'policy', 'fast'] as const;
export type Variant = (typeof VARIANTS)[number];

/** One variant in one round. */
export interface RoundResult {
  readonly variant: Variant;
  /** The rate at which requests were due. */
  readonly perSecond: number;
  readonly requests: number;
  /** Requests that the fail policy refused, because their check had no answer. */
  readonly refused: number;
  /** Requests with another response than these two, or with none. The latencies include them. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The longest time from the start of a request to its response; the generator's own delay is not in it. */
  readonly longestMs: number;
  /** How late the generator itself was, at the 99th percentile: part of the latency. */
  readonly lateP99Ms: number;
  /** Processor time of the server that checks, all its threads; undefined without a check, or without /proc. */
  readonly cpuUsPerCheck: number | undefined;
}

/** Medians of one variant over all rounds, the longest time, and the sums of requests. */
export type VariantSummary = Omit<RoundResult, 'requests' | 'perSecond'>;

export interface MeasuredRound {
  readonly variant: Variant;
  readonly perSecond: number;
  readonly samples: readonly LoadSample[];
  readonly refused: number;
  readonly cpuSeconds: number | undefined;
}

export function roundResultOf({ variant, perSecond, samples, refused, cpuSeconds }: MeasuredRound): RoundResult {
  const latencies = samples.map(({ latencyMs }) => latencyMs);
  return {
    variant,
    perSecond,
    requests: samples.length,
    refused,
    failed: samples.filter(({ isGood }) => !isGood).length - refused,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    longestMs: percentile(
      samples.map(({ latencyMs, lateMs }) => latencyMs - lateMs),
      100,
    ),
    lateP99Ms: percentile(
      samples.map(({ lateMs }) => lateMs),
      99,
    ),
    cpuUsPerCheck: cpuSeconds === undefined ? undefined : (cpuSeconds * 1e6) / samples.length,
  };
}

export function summarize(results: readonly RoundResult[], variant: Variant): VariantSummary {
  const own = results.filter((each) => each.variant === variant);
  const cpu = own.flatMap(({ cpuUsPerCheck }) => (cpuUsPerCheck === undefined ? [] : [cpuUsPerCheck]));
  return {
    variant,
    refused: own.reduce((sum, { refused }) => sum + refused, 0),
    failed: own.reduce((sum, { failed }) => sum + failed, 0),
    p50Ms: median(own.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(own.map(({ p99Ms }) => p99Ms)),
    longestMs: Math.max(...own.map(({ longestMs }) => longestMs)),
    lateP99Ms: median(own.map(({ lateP99Ms }) => lateP99Ms)),
    cpuUsPerCheck: cpu.length === 0 ? undefined : median(cpu),
  };
}

/** Latency that a variant adds: the median over the rounds of the difference to the round without a check. */
export function addedMs(results: readonly RoundResult[], variant: Variant, of: 'p50Ms' | 'p99Ms'): number {
  const plain = results.filter((each) => each.variant === 'plain');
  const own = results.filter((each) => each.variant === variant);
  return median(own.map((each, round) => each[of] - (plain[round]?.[of] ?? Number.NaN)));
}
