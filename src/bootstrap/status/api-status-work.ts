import type { Clock } from '../../base/clock.js';
import type { KindDefinition } from '../../config/kind-definition.js';
import { createLeaderElection } from '../../kubernetes/election/leader-election.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { createApiStatusLoop, type WantedStatus } from '../../status/kubernetes/api-status-loop.js';
import { createApiStatusObjects } from '../../status/kubernetes/api-status-objects.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Cluster } from '../cluster-connection.js';
import type { StatusSettings } from './status-settings.js';

export interface ApiStatusWorkOptions {
  readonly cluster: Cluster;
  readonly settings: Pick<StatusSettings, 'perSecond' | 'burst' | 'namespace' | 'appNamespaces' | 'election'>;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  /** The Lease, in the namespace of the control plane. */
  readonly lease: string;
  /** Kinds whose objects have a status that this work writes. */
  readonly definitions: readonly KindDefinition[];
  /** All statuses, as they should be now. */
  readonly wanted: () => readonly WantedStatus[];
  readonly clock: Clock;
  /** Scope `status`. */
  readonly logger: Logger;
}

/** Writes statuses of Kubernetes' kinds while this instance leads. */
export interface ApiStatusWork {
  /** Something may have changed. */
  changed(): void;
  /** Settles when running writes are answered and the Lease is released. */
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

  const begin = (): void => {
    watcher = createWatcher(logger);
    for (const definition of definitions) {
      const scopes = definition.namespaced && settings.appNamespaces.length > 0 ? settings.appNamespaces : [''];
      for (const namespace of new Set(scopes)) {
        watcher.watch({ definition, namespace, sink: objects.sink(definition) });
      }
    }
    loop.start();
  };
  const cease = async (): Promise<void> => {
    await loop.stop();
    await watcher?.stop();
    watcher = undefined;
    objects.clear();
  };

  /** Changes of the lead are handled one after the other. */
  let turn: Promise<void> = Promise.resolve();
  const election = createLeaderElection({
    ...common,
    identity,
    lease: { namespace: settings.namespace, name: lease },
    ...(settings.election === undefined ? {} : { timing: settings.election }),
    onChange: (isLeader) => {
      turn = turn.then(() => (isLeader ? begin() : cease()));
    },
  });
  election.start();
  return {
    changed: loop.changed,
    stop: async () => {
      // All writes must have ended before another instance leads.
      await turn;
      await cease();
      await election.stop();
      await turn;
    },
  };
}
