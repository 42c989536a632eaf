/** Result of one request. */
export interface LoadSample {
  /** From when it was due until its answer was there, in milliseconds: a late start counts as the server's delay. */
  readonly latencyMs: number;
  /** Delay after the due time, in milliseconds: latency that the generator adds. */
  readonly lateMs: number;
  readonly isGood: boolean;
}

export interface OpenLoopOptions {
  readonly perSecond: number;
  readonly seconds: number;
  /** Sends a request and settles after the whole response: true if it is the expected one. */
  readonly send: (index: number) => Promise<boolean>;
  /** A monotonic clock, in milliseconds with fractions. */
  readonly nowMs: () => number;
  /** Waits until then, and lets answers be read meanwhile. */
  readonly until: (dueMs: number) => Promise<void>;
}

/**
 * Sends requests on a schedule that does not wait for answers, so that a slow server cannot slow down its own test
 * (coordinated omission).
 */
export async function runOpenLoop({ perSecond, seconds, send, nowMs, until }: OpenLoopOptions): Promise<LoadSample[]> {
  const total = Math.round(perSecond * seconds);
  const startMs = nowMs();
  const pending: Promise<LoadSample>[] = [];
  while (pending.length < total) {
    for (let dueMs = dueAt(startMs, pending.length, perSecond); dueMs <= nowMs() && pending.length < total; ) {
      pending.push(sendDue(pending.length, dueMs, send, nowMs));
      dueMs = dueAt(startMs, pending.length, perSecond);
    }
    await until(dueAt(startMs, pending.length, perSecond));
  }
  return Promise.all(pending);
}

function dueAt(startMs: number, index: number, perSecond: number): number {
  return startMs + (index * 1000) / perSecond;
}

async function sendDue(
  index: number,
  dueMs: number,
  send: OpenLoopOptions['send'],
  nowMs: () => number,
): Promise<LoadSample> {
  const lateMs = nowMs() - dueMs;
  const isGood = await send(index).catch(() => false);
  return { latencyMs: nowMs() - dueMs, lateMs, isGood };
}
