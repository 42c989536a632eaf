import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from '../client/fleet.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import { type ChurnOptions, type ChurnWrites, runChurn } from './churn-writer.js';
import type { ChurnResult } from './kubernetes-result.js';
import { sampleMemory } from './memory-series.js';

export interface MeasureChurnOptions extends Pick<ChurnOptions, 'send' | 'services' | 'perSecond'> {
  readonly seconds: number;
  readonly fleet: Fleet;
  readonly clients: number;
  /** The server's process. */
  readonly pid: number;
  /** Pairs of the number of a change and the time when a bare watch received it; filled during the churn. */
  readonly floorArrivals: readonly number[];
  /** Rejects when the server ends. */
  readonly failed: Promise<never>;
  readonly progress: (what: string) => void;
}

/** Changes before those that are counted: code is compiled by them. */
const WARM_UP_SECONDS = 5;
const COLLECT_EVERY_MS = 1000;
/** How long after the last write changes may still arrive. */
const LAST_WAIT_MS = 15_000;

/** Changes endpoints at a steady rate and takes the time of each change at each client. */
export async function measureChurn(options: MeasureChurnOptions): Promise<ChurnResult> {
  const { fleet, failed, pid, perSecond, seconds } = options;
  const warmUp = perSecond * WARM_UP_SECONDS;
  const changes = warmUp + perSecond * seconds;
  const arrivals: number[] = [];
  const collect = async (): Promise<void> => {
    for (const part of (await fleet.collect()).arrivals) for (const value of part) arrivals.push(value);
  };
  await fleet.begin({ kind: 'churn' });
  let isWriting = true;
  const writing = runChurn({ ...options, changes, nowMs: monotonicMs }).finally(() => {
    isWriting = false;
  });
  await Promise.race([delay(WARM_UP_SECONDS * 1000), failed, fleet.failed]);
  const memory = sampleMemory(pid, monotonicMs);
  const before = { server: await readProcessUsage(pid), clients: process.cpuUsage(), atMs: monotonicMs() };
  while (isWriting) {
    const done = Math.round((monotonicMs() - before.atMs) / 1000);
    options.progress(`changing ${perSecond} endpoints per second: ${done} of ${seconds} s`);
    await Promise.race([delay(COLLECT_EVERY_MS), writing, failed, fleet.failed]);
    await collect();
  }
  const after = { server: await readProcessUsage(pid), clients: process.cpuUsage(before.clients), atMs: monotonicMs() };
  const samples = await memory.stop();
  const writes = await writing;
  const expected = 2 * options.clients * writes.answeredAtMs.filter((atMs) => !Number.isNaN(atMs)).length;
  const deadlineMs = monotonicMs() + LAST_WAIT_MS;
  for (; arrivals.length < expected && monotonicMs() < deadlineMs; await collect()) await delay(100);

  const spentSeconds = (after.atMs - before.atMs) / 1000;
  const answered = writes.answeredAtMs.subarray(warmUp).filter((atMs) => !Number.isNaN(atMs)).length;
  const clientMs = latencies(arrivals, writes, warmUp);
  return {
    seconds,
    changes: changes - warmUp,
    refused: changes - warmUp - answered,
    writeMs: latencies(pairsOf(writes), writes, warmUp),
    floorMs: latencies(options.floorArrivals, writes, warmUp),
    clientMs,
    missing: options.clients * answered - clientMs.length,
    cpuShare: ((after.server?.cpuSeconds ?? 0) - (before.server?.cpuSeconds ?? 0)) / spentSeconds,
    clientCpuShare: (after.clients.user + after.clients.system) / 1e6 / spentSeconds,
    memory: samples,
  };
}

function pairsOf({ answeredAtMs }: ChurnWrites): readonly number[] {
  return [...answeredAtMs].flatMap((atMs, change) => (Number.isNaN(atMs) ? [] : [change, atMs]));
}

/** How long after its writing each change came, of those from `first` on; each pair counts once. */
function latencies(pairs: readonly number[], { sentAtMs }: ChurnWrites, first: number): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    const [change = 0, atMs = Number.NaN] = [pairs[index], pairs[index + 1]];
    const sentMs = sentAtMs[change];
    if (change >= first && sentMs !== undefined) found.push(atMs - sentMs);
  }
  return found;
}
