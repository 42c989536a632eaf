import type { Clock } from '../../../base/clock.js';
import { discoveryHostOf } from '../../../config/mesh/discovery-host.js';
import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { countReplicas } from '../../../model/policy/count-replicas.js';
import { checkServerOf } from '../../../model/policy/policy-servers.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import { createLastingReplicas } from './lasting-replicas.js';

/** Policy servers with separate counters in memory. */
export interface UnsharedCounters {
  /** Host of the Service that proxies reach them by. */
  readonly host: string;
  /** 2 or more. */
  readonly replicas: number;
}

export interface ReplicaWatchParts {
  /** Whether the policy server in this process counts limits in its own memory. */
  readonly countsInMemory: () => boolean;
  /** Whether a separate policy server in this namespace, connected here, counts in memory. */
  readonly othersCountInMemory: (namespace: string) => boolean;
  readonly clock: Clock;
  /** Scope `policy`. */
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when the result of unshared() changes. */
  readonly onChange: () => void;
}

/** Finds out whether replicas of the policy server admit more together than the limits. */
export interface ReplicaWatch {
  observe(context: PushContext): void;
  /** The configuration of the policy server has changed. */
  configChanged(): void;
  /** Undefined while one replica counts, or all count in one place. */
  unshared(): UnsharedCounters | undefined;
  /** The lasting number of replicas that decide about quotas; 1 before it is known. */
  replicas(): number;
  stop(): void;
}

/** Policy servers may connect and report their counters after their Service has endpoints. */
const LOOK_AGAIN_MS = 10_000;

/**
 * Counts the replicas of the Service that decides about quotas: this control plane where mixerCheckServer is
 * `embedded`, otherwise the named one. The additional replica of a rollout is not counted.
 */
export function createReplicaWatch(parts: ReplicaWatchParts): ReplicaWatch {
  const { clock, logger, metrics, onChange } = parts;
  let lasting = createLastingReplicas();
  let newest: PushContext | undefined;
  let host: string | undefined;
  let found: UnsharedCounters | undefined;
  let cancel = (): void => undefined;
  metrics.set('policy_server_unshared_replicas', 0);

  const countsApart = ({ mesh, servicesByHost }: PushContext): boolean => {
    const server = checkServerOf(mesh);
    if (server?.type === 'embedded') return parts.countsInMemory();
    const service = server && servicesByHost.get(server.host);
    return service !== undefined && parts.othersCountInMemory(service.namespace);
  };

  const find = (replicas: number): UnsharedCounters | undefined => {
    if (newest === undefined || host === undefined || replicas < 2 || !countsApart(newest)) return undefined;
    return { host, replicas };
  };

  const evaluate = (): void => {
    const nowMs = clock.monotonicMs();
    cancel();
    const replicas = lasting.at(nowMs);
    const next = find(replicas);
    const waits = [lasting.dueInMs(nowMs), replicas < 2 ? undefined : LOOK_AGAIN_MS].filter(
      (each) => each !== undefined,
    );
    cancel = waits.length === 0 ? () => undefined : clock.schedule(Math.max(1, Math.min(...waits)), evaluate);
    if (next?.host === found?.host && next?.replicas === found?.replicas) return;
    found = next;
    metrics.set('policy_server_unshared_replicas', next?.replicas ?? 0);
    if (next === undefined) logger.info({}, 'replicas of the policy server no longer exceed the limits');
    else logger.warn({ ...next, remedy: UNSHARED_REMEDY }, 'replicas of the policy server count quotas apart');
    onChange();
  };

  return {
    observe: (context) => {
      const isNew = context.endpoints !== newest?.endpoints || context.mesh !== newest.mesh;
      newest = context;
      if (!isNew) return;
      const asked = hostOf(context.mesh);
      // A new Service has no history.
      if (asked !== host) lasting = createLastingReplicas();
      host = asked;
      const count = (asked === undefined ? undefined : countReplicas(context, asked)) ?? { ready: 1, alike: 1 };
      lasting.observe(count, clock.monotonicMs());
      evaluate();
    },
    configChanged: evaluate,
    unshared: () => found,
    replicas: () => lasting.at(clock.monotonicMs()),
    stop: () => cancel(),
  };
}

/** The host of the Service that decides about quotas; undefined without one. */
function hostOf(mesh: MeshConfig): string | undefined {
  const server = checkServerOf(mesh);
  return server?.type === 'embedded' ? discoveryHostOf(mesh) : server?.host;
}

const UNSHARED_REMEDY =
  'set storage of the policy configuration to a Redis that all replicas reach, or run one replica';
