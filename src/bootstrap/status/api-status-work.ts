import type { Clock } from '../../base/clock.js';
import type { KindDefinition } from '../../config/kind-definition.js';
import type { KindRegistry } from '../../config/kinds.js';
import { startWorkOfLeader } from '../../kubernetes/election/work-of-leader.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { resourcesOf } from '../../kubernetes/watch/resource.js';
import type { PushContext } from '../../model/push-context.js';
import {
  createApiStatusLoop,
  createApiStatusObjects,
  type WantedStatus,
} from '../../status/kubernetes/api-status-loop.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Cluster, ClusterConnection } from '../cluster-connection.js';
import type { StatusSettings } from './status-settings.js';
import { stopInTime } from './stop-in-time.js';

/** The parts of the process that statuses of Kubernetes' kinds depend on. */
export interface ApiStatusSources {
  /** Undefined where no cluster is read. */
  readonly cluster: ClusterConnection | undefined;
  readonly kinds: KindRegistry;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  /** The newest snapshot. */
  readonly context: () => PushContext | undefined;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** Writes the statuses of some of Kubernetes' kinds. */
export interface ApiStatusRuntime {
  /** @throws ClusterAccessError when there is no cluster to write to */
  start(): Promise<void>;
  /** @param snapshot a new one, which `ApiStatusSources.context` does not give yet */
  observe(snapshot: PushContext): void;
  /** Settles when running writes are answered and the Lease is released, after 3 s at the latest. */
  stop(): Promise<void>;
}

export interface ApiStatusWorkOptions extends Pick<ApiStatusSources, 'identity' | 'clock'> {
  readonly cluster: Cluster;
  readonly settings: StatusSettings;
  /** The Lease, in the namespace of the control plane. */
  readonly lease: string;
  /** Kinds whose objects have a status that this work writes. */
  readonly definitions: readonly KindDefinition[];
  /** All statuses, as they should be now. */
  readonly wanted: () => readonly WantedStatus[];
  /** Scope `status`. */
  readonly logger: Logger;
}

/** Writes statuses of Kubernetes' kinds while this instance leads. */
export interface ApiStatusWork {
  /** Something may have changed. */
  changed(): void;
  /** Settles when running writes are answered and the Lease is released, after 3 s at the latest. */
  stop(): Promise<void>;
}

/** Takes part in the election of the Lease's leader. */
export function startApiStatusWork(options: ApiStatusWorkOptions): ApiStatusWork {
  const { settings, identity, lease, definitions, wanted, clock, logger } = options;
  const { send, createWatcher } = options.cluster;
  const common = { send, clock, logger, random: Math.random };
  const objects = createApiStatusObjects(() => loop.changed());
  const loop = createApiStatusLoop({ ...common, ...settings, objects, wanted });
  let watcher: ListWatcher | undefined;
  const lead = startWorkOfLeader({
    ...common,
    identity,
    lease: { namespace: settings.namespace, name: lease },
    ...(settings.election === undefined ? {} : { timing: settings.election }),
    begin: () => {
      watcher = createWatcher(logger);
      for (const resource of definitions.flatMap((definition) => resourcesOf(definition, settings.appNamespaces))) {
        watcher.watch({ ...resource, sink: objects.sink(resource.definition) });
      }
      loop.start();
    },
    end: async () => {
      await loop.stop();
      await watcher?.stop();
      watcher = undefined;
      objects.clear();
    },
  });
  return { changed: loop.changed, stop: () => stopInTime(lead.stop(), clock) };
}
