import type { Clock } from '../base/clock.js';
import { neededSecrets } from '../model/policy/plans/consumer-secrets.js';
import type { PushContext } from '../model/push-context.js';
import type { MeshStore } from '../model/store/mesh-store.js';
import type { ApiKeySource } from '../sources/api-keys/api-key-source.js';
import { createFolderApiKeys } from '../sources/api-keys/folder-api-keys.js';
import { createSecretApiKeys } from '../sources/api-keys/secret-api-keys.js';
import type { Logging } from '../telemetry/logging.js';
import type { ClusterConnection } from './cluster-connection.js';
import type { Options } from './options.js';
import type { SubmitChange } from './submit-change.js';

export interface ApiKeyParts {
  readonly options: Options;
  readonly store: MeshStore;
  /** Undefined where no cluster is read. */
  readonly cluster: ClusterConnection | undefined;
  readonly submit: SubmitChange;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The API keys in Secrets that Consumers name, for the next snapshot. */
export interface RunningApiKeys extends Pick<ApiKeySource, 'stop'> {
  observe(context: Pick<PushContext, 'objects'>): void;
  /**
   * Reads the Secrets of the store. Settles after some seconds at the latest: until a Secret is read, the fail policy
   * decides about keys that may be in it.
   */
  readFirst(): Promise<void>;
}

const FIRST_READ_MS = 5_000;

export function createApiKeys({ options, store, cluster, submit, logging, clock }: ApiKeyParts): RunningApiKeys {
  const logger = logging.scope('secretfetcher');
  const onKeys = (...changes: Parameters<MeshStore['setApiKeySecrets']>): void =>
    submit(store.setApiKeySecrets(...changes));
  const source =
    cluster === undefined
      ? createFolderApiKeys({ folder: options.environment.navCredentialsDir, onKeys, clock })
      : createSecretApiKeys({
          createWatcher: async () => (await cluster.open()).createWatcher(logger),
          onKeys,
          clock,
          logger,
        });
  let consumers: ReturnType<PushContext['objects']['get']>;
  return {
    observe: ({ objects }) => {
      if (objects.get('Consumer') === consumers) return;
      consumers = objects.get('Consumer');
      source.follow(neededSecrets(objects));
    },
    readFirst: async () => {
      const needed = neededSecrets(store.state().objects);
      source.follow(needed);
      if (needed.size > 0) await source.readAll(FIRST_READ_MS);
    },
    stop: source.stop,
  };
}
