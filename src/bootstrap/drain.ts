import type { Clock } from '../base/clock.js';
import type { ReadinessProbe } from '../introspection/ready.js';
import type { Logger } from '../telemetry/logger.js';
import type { CommonFlags } from './options.js';

/** The time between the signal to terminate and the end of service. */
export interface Drain {
  /** Not ready during the drain, so that load balancers and control planes send callers elsewhere. */
  readonly probe: ReadinessProbe;
  readonly isDraining: boolean;
  /** Starts the drain. Settles when no call has come for --drainTime, or after --drainTimeout. */
  begin(): Promise<void>;
  /** Settles a running drain at once. */
  cancel(): void;
}

export interface DrainOptions {
  readonly settings: Pick<CommonFlags, 'drainTimeMs' | 'drainTimeoutMs'>;
  /** Time of the last call of the policy server, on the monotonic clock. */
  readonly lastCallMs: () => number;
  /** Asks callers to reconnect: a caller that resolves the server's name then reaches another instance. */
  readonly askToLeave: () => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

const LOOK_MS = 100;

/** Times on the monotonic clock. */
interface DrainState {
  readonly beganMs: number;
  /** Of the next look. */
  dueMs: number;
  /** Since then no call has come that could have been read. */
  quietFromMs: number;
  /** When remaining callers are asked to reconnect. */
  askMs: number;
}

/**
 * Proxies learn at different times that this server terminates. Until then their checks must be answered: with
 * FAIL_CLOSE, a rejected connection is a rejected request. Proxies that get the server's endpoints from discovery leave
 * by themselves. Proxies that resolve its name keep their connections, and are asked to reconnect after --drainTime.
 */
export function createDrain({ settings, lastCallMs, askToLeave, logger, clock }: DrainOptions): Drain {
  const { drainTimeMs, drainTimeoutMs } = settings;
  let isDraining = false;
  let isCancelled = false;

  const look = (state: DrainState, resolve: () => void): void => {
    const nowMs = clock.monotonicMs();
    const lateMs = nowMs - state.dueMs;
    // Calls may have come while this process was not scheduled, and are not read yet.
    if (lateMs >= LOOK_MS) state.quietFromMs += lateMs;
    state.quietFromMs = Math.max(state.quietFromMs, lastCallMs());
    const quietMs = nowMs - state.quietFromMs;
    const drainMs = Math.round(nowMs - state.beganMs);
    if (isCancelled) {
      resolve();
    } else if (quietMs >= drainTimeMs) {
      logger.info({ drainMs }, 'callers have left');
      resolve();
    } else if (drainMs >= drainTimeoutMs) {
      const remedy = 'raise --drainTimeout, and terminationGracePeriodSeconds with it';
      logger.warn(
        { setting: '--drainTimeout', drainMs, lastCallMs: Math.round(quietMs), remedy },
        'callers still connect, and are rejected from now on',
      );
      resolve();
    } else {
      if (nowMs >= state.askMs) {
        askToLeave();
        state.askMs = nowMs + drainTimeMs;
      }
      state.dueMs = nowMs + LOOK_MS;
      clock.schedule(LOOK_MS, () => look(state, resolve));
    }
  };

  return {
    probe: {
      name: 'drain',
      check: () => (isDraining ? { ready: false, reason: 'the server was told to end' } : { ready: true }),
    },
    get isDraining() {
      return isDraining;
    },
    begin: () => {
      isDraining = true;
      const beganMs = clock.monotonicMs();
      const state = { beganMs, dueMs: beganMs, quietFromMs: beganMs, askMs: beganMs + drainTimeMs };
      return new Promise((resolve) => look(state, resolve));
    },
    cancel: () => {
      isCancelled = true;
    },
  };
}
