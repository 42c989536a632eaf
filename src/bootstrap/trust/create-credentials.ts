import type { Clock } from '../../base/clock.js';
import type { CredentialStore } from '../../model/gateways/credential.js';
import { createFolderCredentials } from '../../sources/credentials/folder-credentials.js';
import { createSecretCredentials } from '../../sources/credentials/secret-credentials.js';
import type { Logging } from '../../telemetry/logging.js';
import type { ClusterConnection } from '../cluster-connection.js';
import type { Options } from '../options.js';

export interface CredentialParts {
  readonly options: Options;
  /** Undefined where no cluster is read. */
  readonly cluster: ClusterConnection | undefined;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The certificates of Gateways: Secrets of the own cluster, or files without a cluster. */
export function createCredentials({ options, cluster, logging, clock }: CredentialParts): CredentialStore {
  const logger = logging.scope('secretfetcher');
  if (cluster === undefined) {
    return createFolderCredentials({ folder: options.environment.navCredentialsDir, clock, logger });
  }
  return createSecretCredentials({ createWatcher: async () => (await cluster.open()).createWatcher(logger), logger });
}
