import { countReplicas } from '../../model/policy/count-replicas.js';
import { checkServerOf } from '../../model/policy/policy-servers.js';
import type { PushContext } from '../../model/push-context.js';
import type { Clock } from '../../telemetry/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { discoveryHostOf } from '../trust/discovery-host.js';
import { createLastingReplicas } from './lasting-replicas.js';

/** Policy servers that count quotas in memory, each for itself. */
export interface UnsharedCounters {
  /** Host of the Service that proxies reach them by. */
  readonly host: string;
  /** 2 or more. */
  readonly replicas: number;
}

export interface ReplicaWatchParts {
  /** Whether a policy server of this process's kind counts limits in its own memory. */
  readonly countsInMemory: () => boolean;
  readonly clock: Clock;
  /** Scope `policy`. */
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** What unshared() gives has changed. */
  readonly onChange: () => void;
}

/** Finds out whether replicas of the policy server admit more together than the limits. */
export interface ReplicaWatch {
  observe(context: PushContext): void;
  /** The configuration of the policy server has changed. */
  configChanged(): void;
  /** Undefined while one replica counts, or all count in one place. */
  unshared(): UnsharedCounters | undefined;
  stop(): void;
}

/**
 * Counts the replicas behind this control plane's own Service, which proxies ask about quotas where mixerCheckServer is
 * `embedded`. A rollout, which has one replica more for a moment, is not counted.
 */
export function createReplicaWatch(parts: ReplicaWatchParts): ReplicaWatch {
  const { countsInMemory, clock, logger, metrics, onChange } = parts;
  const lasting = createLastingReplicas();
  let newest: PushContext | undefined;
  let found: UnsharedCounters | undefined;
  let cancel = (): void => undefined;
  metrics.set('policy_server_unshared_replicas', 0);

  const find = (nowMs: number): UnsharedCounters | undefined => {
    const replicas = lasting.at(nowMs);
    if (newest === undefined || replicas < 2 || !countsInMemory()) return undefined;
    return checkServerOf(newest.mesh)?.type === 'embedded'
      ? { host: discoveryHostOf(newest.mesh), replicas }
      : undefined;
  };

  const evaluate = (): void => {
    const nowMs = clock.monotonicMs();
    cancel();
    const dueInMs = lasting.dueInMs(nowMs);
    cancel = dueInMs === undefined ? () => undefined : clock.schedule(Math.max(1, dueInMs), evaluate);
    const next = find(nowMs);
    if (next?.host === found?.host && next?.replicas === found?.replicas) return;
    found = next;
    metrics.set('policy_server_unshared_replicas', next?.replicas ?? 0);
    if (next === undefined) logger.info({}, 'replicas of the policy server do not exceed the limits any more');
    else logger.warn({ ...next, remedy: UNSHARED_REMEDY }, 'replicas of the policy server count quotas apart');
    onChange();
  };

  return {
    observe: (context) => {
      const isNew = context.endpoints !== newest?.endpoints || context.mesh !== newest.mesh;
      newest = context;
      if (!isNew) return;
      const count = countReplicas(context, discoveryHostOf(context.mesh)) ?? { ready: 1, alike: 1 };
      lasting.observe(count, clock.monotonicMs());
      evaluate();
    },
    configChanged: evaluate,
    unshared: () => found,
    stop: () => cancel(),
  };
}

const UNSHARED_REMEDY =
  'set storage of the policy configuration to a Redis that all replicas reach, or run one replica';
