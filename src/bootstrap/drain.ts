import type { Clock } from '../base/clock.js';
import type { ReadinessProbe } from '../introspection/ready.js';
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
  /** Asks callers to connect anew: those that know the server by a name reach another one then. */
  readonly askToLeave: () => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

const LOOK_MS = 100;

/**
 * Proxies learn in their own time that this server ends. Until then they send it checks, which must be answered: under
 * FAIL_CLOSE each refused connection would be a refused request. Those that know it by its endpoints leave by themselves;
 * those that know it by a name keep their connections, and are asked to leave after --drainTime.
 */
export function createDrain({ settings, lastCallMs, askToLeave, logger, clock }: DrainOptions): Drain {
  const { drainTimeMs, drainTimeoutMs } = settings;
  let isDraining = false;
  let isCancelled = false;

  /** @param askMs when callers that still come are asked to leave */
  const look = (beganMs: number, askMs: number, resolve: () => void): void => {
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
      const isTime = nowMs >= askMs;
      if (isTime) askToLeave();
      clock.schedule(LOOK_MS, () => look(beganMs, isTime ? nowMs + drainTimeMs : askMs, resolve));
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
      return new Promise((resolve) => look(beganMs, beganMs + drainTimeMs, resolve));
    },
    cancel: () => {
      isCancelled = true;
    },
  };
}
