import { setTimeout as delay } from 'node:timers/promises';
import { BenchError } from '../cli/bench-error.js';
import type { Fleet, FleetProgress } from '../client/fleet.js';
import { monotonicMs } from '../measure/monotonic-clock.js';

const POLL_MS = 20;
/** Without a message for this long, a phase has settled: acknowledgements are read and nothing more is coming. */
const QUIET_MS = 300;
/** How long after a client's failure the end of the server's process may be noticed. */
const SERVER_END_MS = 300;

export interface PhaseWait {
  /** Name of the wait, for example `first sync 2 of 3 (server)`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly progress: (progress: FleetProgress) => void;
}

/** Waits until every client is done and no message has come for a while. Throws when it takes too long. */
export async function awaitPhase(fleet: Fleet, failed: Promise<never>, wait: PhaseWait): Promise<void> {
  try {
    await Promise.race([poll(fleet, wait), fleet.failed, failed]);
  } catch (error) {
    // Clients notice the end of a server first, but the output of the server explains it better.
    await Promise.race([failed, delay(SERVER_END_MS)]);
    throw error;
  }
}

async function poll(fleet: Fleet, wait: PhaseWait): Promise<void> {
  const deadlineMs = monotonicMs() + wait.timeoutMs;
  for (;;) {
    const progress = fleet.progress();
    wait.progress(progress);
    const done = progress.completed === progress.clients;
    if (done && monotonicMs() - progress.lastMessageAtMs > QUIET_MS) return;
    if (monotonicMs() > deadlineMs) throw timedOut(wait, progress, done);
    await delay(POLL_MS);
  }
}

function timedOut(wait: PhaseWait, progress: FleetProgress, done: boolean): BenchError {
  const state = done
    ? 'all clients are done, but the server keeps sending'
    : `${progress.completed} of ${progress.clients} clients are done; ${progress.waitingFor || 'no worker answers'}`;
  return new BenchError(
    'timed-out',
    `Waited ${wait.timeoutMs / 1000} s for ${wait.what}: ${state}. Allow more with --timeout.`,
  );
}
