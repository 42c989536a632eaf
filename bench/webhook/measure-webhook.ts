import { type LoadSample, runOpenLoop } from '../load/open-loop.js';
import { createPacemaker } from '../load/pacemaker.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import { percentile } from '../measure/statistics.js';
import { createReviewSender } from './review-sender.js';
import type { WebhookProcess } from './webhook-process.js';

export interface WebhookLoad {
  readonly reviews: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
  /** The first requests wait for the compiler. Default 3. */
  readonly warmUpSeconds?: number;
}

export interface WebhookResult {
  readonly requests: number;
  /** Not allowed, or not answered. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** How late the generator itself was; it is in the latencies. */
  readonly lateP99Ms: number;
  /** Processor time of the server, in microseconds per request; undefined if the system does not report it. */
  readonly cpuUsPerRequest: number | undefined;
  /** Of one answer. */
  readonly warnings: number;
}

const WARM_UP_SECONDS = 3;

/** Sends reviews on a schedule to a webhook server. */
export async function measureWebhook(server: WebhookProcess, load: WebhookLoad): Promise<WebhookResult> {
  const sender = createReviewSender(server);
  const pacemaker = createPacemaker();
  let warnings = 0;
  const send = async (index: number): Promise<boolean> => {
    const answer = await sender.send(load.reviews[index % load.reviews.length] ?? '');
    warnings = answer?.warnings?.length ?? 0;
    return answer?.allowed === true;
  };
  const run = (seconds: number): Promise<LoadSample[]> =>
    runOpenLoop({ perSecond: load.perSecond, seconds, send, nowMs: monotonicMs, until: pacemaker.until });
  try {
    await run(load.warmUpSeconds ?? WARM_UP_SECONDS);
    const before = await cpuSecondsOf(server);
    const samples = await run(load.seconds);
    const after = await cpuSecondsOf(server);
    const latencies = samples.map(({ latencyMs }) => latencyMs);
    return {
      requests: samples.length,
      failed: samples.filter(({ isGood }) => !isGood).length,
      p50Ms: percentile(latencies, 50),
      p99Ms: percentile(latencies, 99),
      maxMs: percentile(latencies, 100),
      lateP99Ms: percentile(
        samples.map(({ lateMs }) => lateMs),
        99,
      ),
      cpuUsPerRequest:
        before === undefined || after === undefined ? undefined : ((after - before) * 1e6) / samples.length,
      warnings,
    };
  } finally {
    sender.close();
    await pacemaker.close();
  }
}

async function cpuSecondsOf({ pid }: WebhookProcess): Promise<number | undefined> {
  return pid === undefined ? undefined : (await readProcessUsage(pid))?.cpuSeconds;
}
