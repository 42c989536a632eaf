import type { ReadinessProbe } from '../introspection/ready.js';
import type { Clock } from '../telemetry/clock.js';
import type { Logger } from '../telemetry/logger.js';
import type { CommonFlags } from './options.js';

/** The time between the signal to end and the end of service. */
export interface Drain {
  /** Not ready from the begin of the drain on: load balancers and control planes take callers elsewhere then. */
  readonly probe: ReadinessProbe;
  readonly isDraining: boolean;
  /** Begins, and settles when no call has come for --drainTime, or after --drainTimeout. */
  begin(): Promise<void>;
  /** A drain that waits settles at once. */
  cancel(): void;
}

export interface DrainOptions {
  readonly settings: Pick<CommonFlags, 'drainTimeMs' | 'drainTimeoutMs'>;
  /** When the policy server was called last, on the monotonic clock. */
  readonly lastCallMs: () => number;
  readonly logger: Logger;
  readonly clock: Clock;
}

const LOOK_MS = 100;

/**
 * Proxies learn in their own time that this server ends. Until then they send it checks, which must be answered: under
 * FAIL_CLOSE each refused connection would be a refused request.
 */
export function createDrain({ settings, lastCallMs, logger, clock }: DrainOptions): Drain {
  const { drainTimeMs, drainTimeoutMs } = settings;
  let isDraining = false;
  let isCancelled = false;

  const look = (beganMs: number, resolve: () => void): void => {
    const nowMs = clock.monotonicMs();
    const quietMs = nowMs - Math.max(beganMs, lastCallMs());
    const drainMs = Math.round(nowMs - beganMs);
    if (isCancelled) {
      resolve();
    } else if (quietMs >= drainTimeMs) {
      logger.info({ drainMs }, 'Callers have gone elsewhere');
      resolve();
    } else if (nowMs - beganMs >= drainTimeoutMs) {
      const remedy = 'raise --drainTimeout, and terminationGracePeriodSeconds with it';
      logger.warn(
        { setting: '--drainTimeout', drainMs, lastCallMs: Math.round(quietMs), remedy },
        'Callers still come, and are turned away from now on',
      );
      resolve();
    } else {
      clock.schedule(LOOK_MS, () => look(beganMs, resolve));
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
      return new Promise((resolve) => look(clock.monotonicMs(), resolve));
    },
    cancel: () => {
      isCancelled = true;
    },
  };
}
