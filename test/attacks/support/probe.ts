import { errorText } from '../../../src/base/error-text.js';
import { createRunningClock, type LeftOutTime, type RunningClock } from '../../support/running-clock.js';

/** A legitimate user that repeats the same action. */
export interface ProbeUser {
  readonly name: string;
  /** One action; rejects when it fails. */
  act(): Promise<void>;
  /** How long an action may take before the user gives it up; default 5,000. */
  readonly timeoutMs?: number;
  close(): void;
}

export interface UserReport {
  readonly name: string;
  readonly actions: number;
  /** The message of each failed action. */
  readonly failures: readonly string[];
  /** The slowest action, including one that was still running at the end; ms. */
  readonly slowestMs: number;
  /** 99 of 100 actions took at most this time; ms. */
  readonly p99Ms: number;
}

export interface ProbeReport {
  readonly users: readonly UserReport[];
  readonly durationMs: number;
  /** Of the duration, the time that no wait of a user contains, because the process of the users was not scheduled. */
  readonly leftOut: LeftOutTime;
}

export interface Probe {
  /** Ends all users. */
  stop(): Promise<ProbeReport>;
}

const INTERVAL_MS = 100;
const TIMEOUT_MS = 5_000;

/** Lets every user act each 100 ms; a user whose last action has not ended waits for it. */
export function startProbe(users: readonly ProbeUser[]): Probe {
  const stopping = new AbortController();
  const startMs = performance.now();
  const clock = createRunningClock();
  const running = users.map((user) => runUser(user, clock, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      const reports = await Promise.all(running);
      for (const user of users) user.close();
      clock.stop();
      return { users: reports, durationMs: performance.now() - startMs, leftOut: clock.leftOut };
    },
  };
}

async function runUser(user: ProbeUser, clock: RunningClock, stopping: AbortSignal): Promise<UserReport> {
  const waits: number[] = [];
  const failures: string[] = [];
  while (!stopping.aborted) {
    const start = clock.nowMs();
    try {
      await withTimeout(user, clock);
    } catch (error) {
      failures.push(errorText(error));
    }
    const took = clock.nowMs() - start;
    waits.push(took);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, INTERVAL_MS - took)));
  }
  waits.sort((one, other) => one - other);
  const p99Ms = waits[Math.floor(waits.length * 0.99)] ?? 0;
  return { name: user.name, actions: waits.length, failures, slowestMs: waits.at(-1) ?? 0, p99Ms };
}

function withTimeout(user: ProbeUser, clock: RunningClock): Promise<void> {
  const { timeoutMs = TIMEOUT_MS } = user;
  const giveUpMs = clock.nowMs() + timeoutMs;
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const look = (): void => {
      const leftMs = giveUpMs - clock.nowMs();
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else reject(new Error(`no answer within ${timeoutMs} ms`));
    };
    look();
    user
      .act()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
