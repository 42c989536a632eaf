import type { SendRequest } from '../../kubernetes/client/api-sender.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import type { Logger } from '../../telemetry/logger.js';

/** The connection to the API server of a cluster. */
export interface ClusterLink {
  /** For single requests, reads and writes. */
  readonly send: SendRequest;
  /** Creates a watcher; its creator stops it. */
  createWatcher(logger: Logger): ListWatcher;
}
