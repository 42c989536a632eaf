import type { ReplicaCount } from '../../../model/policy/count-replicas.js';

/** How long the replicas of a rollout may overlap, in milliseconds. */
const SURGE_MS = 60_000;

/** A number of replicas that does not follow the surge of a rollout. */
export interface LastingReplicas {
  /** Takes the current count. */
  observe(count: ReplicaCount, nowMs: number): void;
  /** As many as have lasted; 1 at first. */
  at(nowMs: number): number;
  /** Milliseconds until the number may change without a new count; undefined when it cannot. */
  dueInMs(nowMs: number): number | undefined;
}

/**
 * Rises at once to the number of pods of one revision of a Deployment, which are not a surge. Otherwise it rises to the
 * smallest, and falls to the largest, count of the last SURGE_MS.
 */
export function createLastingReplicas(): LastingReplicas {
  let lasting = 1;
  /** The counts since the beginning of the window, oldest first. */
  let samples: readonly { readonly atMs: number; readonly ready: number }[] = [];

  const at = (nowMs: number): number => {
    const begin = nowMs - SURGE_MS;
    const inForce = samples.findLastIndex(({ atMs }) => atMs <= begin);
    if (inForce < 0) return lasting;
    samples = samples.slice(inForce);
    const counts = samples.map(({ ready }) => ready);
    lasting = Math.min(Math.max(lasting, Math.min(...counts)), Math.max(1, ...counts));
    return lasting;
  };

  return {
    observe: ({ ready, alike }, nowMs) => {
      if (samples.at(-1)?.ready !== ready) samples = [...samples, { atMs: nowMs, ready }];
      lasting = Math.max(at(nowMs), alike);
    },
    at,
    dueInMs: (nowMs) => {
      const next = samples.find(({ atMs }) => atMs > nowMs - SURGE_MS);
      return next === undefined ? undefined : next.atMs + SURGE_MS - nowMs;
    },
  };
}
