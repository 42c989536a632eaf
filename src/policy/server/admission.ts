import { createFairShedding } from './fair-shedding.js';
import { createShedControl, type LoadWindow } from './shed-control.js';

/** Overload settings from the configuration, read for each check. */
export interface OverloadSettings {
  /** Whether the fail policy answers checks that the server has no time to decide. */
  readonly shed: boolean;
  /** How long the event loop must be busy without a pause before checks are shed, in milliseconds. */
  readonly shedAfterMs: number;
  /**
   * The number of checks that may wait for the quota store or a remote server. The fail policy answers further ones.
   */
  readonly maxPendingChecks: number;
}

/** Admits as many checks as the server can decide. The fail policy answers the others at once. */
export interface Admission {
  /**
   * Whether the server decides a check. The caller must then call `end`. A check that is not admitted must not be
   * charged.
   *
   * @param nowMs of the monotonic clock
   * @param peer identity or address of the caller: peers with most checks are shed first
   */
  admit(nowMs: number, peer: string): boolean;
  /** A check that was admitted has been decided. */
  end(): void;
}

/** The load of the process since the last call, or since the start. */
export type ReadLoad = () => Pick<LoadWindow, 'use' | 'cpuMs'>;

export interface AdmissionOptions {
  readonly settings: () => OverloadSettings;
  readonly readLoad: ReadLoad;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called when the share of shed checks changes. */
  readonly onShareChange: (share: number) => void;
}

const WINDOW_MS = 100;

export function createAdmission({ settings, readLoad, random, onShareChange }: AdmissionOptions): Admission {
  const control = createShedControl();
  const fair = createFairShedding();
  let pending = 0;
  let checks = 0;
  let windowStartMs = Number.NEGATIVE_INFINITY;

  const closeWindow = (nowMs: number): void => {
    const durationMs = nowMs - windowStartMs;
    const { use, cpuMs } = readLoad();
    const before = control.share;
    // The first check has no window before it.
    if (Number.isFinite(durationMs)) control.observe({ use, cpuMs, checks, durationMs, nowMs }, settings().shedAfterMs);
    fair.next(control.share);
    if (control.share !== before) onShareChange(control.share);
    windowStartMs = nowMs;
    checks = 0;
  };

  return {
    admit(nowMs, peer) {
      if (nowMs - windowStartMs >= WINDOW_MS) closeWindow(nowMs);
      checks++;
      const chance = fair.chanceOf(peer);
      const { shed, maxPendingChecks } = settings();
      if (pending >= maxPendingChecks || (shed && chance > 0 && random() < chance)) return false;
      pending++;
      return true;
    },
    end() {
      pending--;
    },
  };
}
