import type { ReplicaCount } from '../../../model/policy/count-replicas.js';

/** How long the replicas of a rollout may overlap, in milliseconds. */
const SURGE_MS = 60_000;

/** A number of replicas that does not follow the surge of a rollout. */
export interface LastingReplicas {
  /** Takes what is counted now. */
  observe(count: ReplicaCount, nowMs: number): void;
  /** As many as have lasted; 1 at first. */
  at(nowMs: number): number;
  /** Milliseconds until the number may differ although nothing is observed; undefined when it cannot. */
  dueInMs(nowMs: number): number | undefined;
}

/**
 * Rises at once to as many pods as one revision of a Deployment has, for they are no surge. Otherwise it rises to the
 * fewest, and falls to the most, that were there at any time of the last SURGE_MS.
 */
export function createLastingReplicas(): LastingReplicas {
  let lasting = 1;
  /** From the one that was in force when the window began, oldest first. */
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
