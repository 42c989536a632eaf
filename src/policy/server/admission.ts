import { createFairShedding } from './fair-shedding.js';
import { createShedControl, type LoadWindow } from './shed-control.js';

/** When the server has too much to do, from its configuration; asked for each check. */
export interface OverloadSettings {
  /** Whether checks beyond what the server can decide are answered by their fail policy. */
  readonly shed: boolean;
  /** How long the event loop must have had no pause before that begins, in milliseconds. */
  readonly shedAfterMs: number;
  /** Checks that wait for the store of quotas, or for a remote backend; further ones are answered by their fail policy. */
  readonly maxPendingChecks: number;
}

/** Lets in as many checks as the server can decide, so that the others get the answer of their fail policy at once. */
export interface Admission {
  /**
   * Whether a check is to be decided; its end must be told then. When it is not, nothing may be charged for it.
   *
   * @param nowMs of the monotonic clock
   * @param peer identity or address of the caller: those that send most are shed first
   */
  admit(nowMs: number, peer: string): boolean;
  /** A check that was admitted has been decided. */
  end(): void;
}

/** What the process did since the last call, or since the start. */
export type ReadLoad = () => Pick<LoadWindow, 'use' | 'cpuMs'>;

export interface AdmissionOptions {
  readonly settings: () => OverloadSettings;
  readonly readLoad: ReadLoad;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Told when another share of checks is shed than before. */
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
    // The first check of all has no window behind it.
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
