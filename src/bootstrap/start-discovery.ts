import { systemClock } from '../telemetry/clock.js';
import { createLogging } from '../telemetry/logging.js';
import { openLogSinks } from '../telemetry/open-log-sinks.js';
import { createDiscoveryServer } from './discovery-server.js';
import type { Options } from './options.js';
import { untilTerminated } from './termination.js';

/**
 * Runs the discovery server until SIGTERM or SIGINT has stopped it gracefully.
 *
 * @throws StartError when it cannot start as it was told to.
 */
export async function startDiscovery(options: Options): Promise<void> {
  // Asked for before anything else, so that a signal during the start is not lost.
  const terminated = untilTerminated();
  const logging = createLogging(options.common, {
    now: systemClock.now,
    sinks: openLogSinks(options.common, systemClock.now),
  });
  const logger = logging.scope('default');
  for (const warning of options.warnings) logger.warn({ ...warning }, 'A setting was not taken as written');
  if (options.unlanded.length > 0) {
    logger.warn({ settings: options.unlanded }, 'These settings are accepted but do nothing yet');
  }
  try {
    const server = createDiscoveryServer(options, logging, systemClock);
    try {
      await Promise.race([server.start(), terminated]);
      const signal = await terminated;
      logger.info({ signal }, 'Discovery server stops');
    } finally {
      await server.stop();
    }
    logger.info({}, 'Discovery server has stopped');
  } finally {
    await logging.close();
  }
}
