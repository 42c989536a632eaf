import type { SendRequest } from '../../kubernetes/client/api-sender.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import type { Logger } from '../../telemetry/logger.js';

/** How to talk to a cluster's API server. */
export interface ClusterLink {
  /** For single requests, reads and writes. */
  readonly send: SendRequest;
  /** Lists that are watched until whoever made the watcher stops it. */
  createWatcher(logger: Logger): ListWatcher;
}
