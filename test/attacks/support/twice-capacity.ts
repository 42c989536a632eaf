import { setTimeout as delay } from 'node:timers/promises';

/** Result of a call: `served`, or the kind of refusal, which a test counts. */
export type CallOutcome = string;

export interface OverloadedService {
  /** Calls at the same time while the capacity is measured. */
  readonly callsAtOnce: number;
  /** Calls under way at the same time, beyond which a client sends none. */
  readonly maxInFlight: number;
  /** Never rejects. */
  call(): Promise<CallOutcome>;
}

export interface OverloadReport {
  /** Calls that the server serves in a second when no more are sent than it can serve. */
  readonly capacity: number;
  readonly offeredPerSecond: number;
  readonly seconds: number;
  readonly servedPerSecond: number;
  /** Of calls that were served while too many were offered. */
  readonly medianMs: number;
  readonly outcomes: Readonly<Record<CallOutcome, number>>;
  /** Calls that the client did not send because too many were under way. */
  readonly held: number;
}

export const SERVED = 'served';

/** Calls that are served before the capacity is measured, and while it is. */
const WARM_UP_CALLS = 100;
const MEASURED_CALLS = 400;
const MEASURE_TIMEOUT_MS = 20_000;
const OFFERED_MS = 6_000;
/** Without an end of any call, those under way count as unanswered. */
const SILENCE_MS = 10_000;
const TICK_MS = 10;

/**
 * Measures how many calls a service can serve, then sends twice as many on a schedule that does not wait for answers.
 *
 * @param scale multiplies the rate
 */
export async function offerTwiceCapacity(
  { callsAtOnce, maxInFlight, call }: OverloadedService,
  scale: number,
  signal: AbortSignal,
): Promise<OverloadReport> {
  const capacity = await measureCapacity(callsAtOnce, call, signal);
  const offeredPerSecond = capacity * 2 * scale;
  const outcomes: Record<CallOutcome, number> = {};
  const latencies: number[] = [];
  let inFlight = 0;
  let held = 0;
  let offered = 0;
  const start = performance.now();
  let lastEnd = start;
  const send = async (): Promise<void> => {
    inFlight++;
    const sent = performance.now();
    const outcome = await call();
    inFlight--;
    lastEnd = performance.now();
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === SERVED) latencies.push(performance.now() - sent);
  };
  while (performance.now() - start < OFFERED_MS && !signal.aborted) {
    for (const due = ((performance.now() - start) * offeredPerSecond) / 1000; offered < due; offered++) {
      if (inFlight < maxInFlight) void send();
      else held++;
    }
    await delay(TICK_MS);
  }
  const seconds = (performance.now() - start) / 1000;
  const servedPerSecond = latencies.length / seconds;
  while (inFlight > 0 && performance.now() - lastEnd < SILENCE_MS && !signal.aborted) await delay(TICK_MS);
  if (inFlight > 0) outcomes['unanswered'] = inFlight;
  const medianMs = latencies.sort((a, b) => a - b)[latencies.length >> 1] ?? Number.NaN;
  return { capacity, offeredPerSecond, seconds, servedPerSecond, medianMs, outcomes, held };
}

async function measureCapacity(
  callsAtOnce: number,
  call: () => Promise<CallOutcome>,
  signal: AbortSignal,
): Promise<number> {
  const until = performance.now() + MEASURE_TIMEOUT_MS;
  const servedAt: number[] = [];
  const isMeasured = (): boolean => servedAt.length >= WARM_UP_CALLS + MEASURED_CALLS || performance.now() >= until;
  await Promise.all(
    Array.from({ length: callsAtOnce }, async () => {
      while (!isMeasured() && !signal.aborted) {
        const outcome = await call();
        if (outcome === SERVED) servedAt.push(performance.now());
        // A client whose calls are refused at once does not ask without a pause.
        else await delay(TICK_MS);
      }
    }),
  );
  const measured = servedAt.slice(WARM_UP_CALLS);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined || last <= first) {
    throw new Error(`the capacity could not be measured: ${servedAt.length} calls were served`);
  }
  return ((measured.length - 1) * 1000) / (last - first);
}

/** The line that an attack returns, which `parseReport` reads. */
export function formatReport(report: OverloadReport): string {
  return JSON.stringify(report, (_, value: unknown) => (typeof value === 'number' ? Math.round(value) : value));
}

export function parseReport(line: string): OverloadReport {
  return JSON.parse(line) as OverloadReport;
}
