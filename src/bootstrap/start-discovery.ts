import { systemClock } from '../base/clock.js';
import { createDiscoveryServer } from './discovery-server.js';
import type { Options } from './options.js';
import { runUntilTerminated } from './run-until-terminated.js';

/**
 * Runs the discovery server until SIGTERM or SIGINT has stopped it gracefully.
 *
 * @throws StartError when it cannot start as it was told to.
 */
export function startDiscovery(options: Options): Promise<void> {
  const messages = { stopping: 'Discovery server stops', stopped: 'Discovery server has stopped' };
  return runUntilTerminated(options, messages, (logging) => createDiscoveryServer(options, logging, systemClock));
}
