import { systemClock } from '../base/clock.js';
import { createDiscoveryServer } from './discovery-server.js';
import type { Options } from './options.js';
import { runUntilTerminated } from './run-until-terminated.js';

/**
 * Runs the discovery server until SIGTERM or SIGINT, and then stops it gracefully.
 *
 * @throws StartError when it cannot start with its settings
 */
export function startDiscovery(options: Options): Promise<void> {
  const messages = { stopping: 'discovery server stops', stopped: 'discovery server has stopped' };
  return runUntilTerminated(options, messages, (logging) => createDiscoveryServer(options, logging, systemClock));
}
