import { systemClock } from '../base/clock.js';
import type { Logging } from '../telemetry/logging.js';
import { createLogging } from '../telemetry/logging.js';
import { openLogSinks } from '../telemetry/open-log-sinks.js';
import type { CommonFlags, LoopbackDefault, SettingWarning, UnimplementedSetting } from './options.js';

/** A whole server, wired and not yet running. */
interface Runnable {
  start(): Promise<unknown>;
  /** Serves on and is not ready, until callers have gone elsewhere. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunSettings {
  readonly common: CommonFlags;
  readonly warnings: readonly SettingWarning[];
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly loopback: readonly LoopbackDefault[];
}

/** What the log says at the end. */
export interface RunMessages {
  readonly stopping: string;
  readonly stopped: string;
}

/**
 * Runs a server until SIGTERM or SIGINT has stopped it gracefully.
 *
 * @throws whatever its start throws
 */
export async function runUntilTerminated(
  settings: RunSettings,
  messages: RunMessages,
  create: (logging: Logging) => Runnable,
): Promise<void> {
  // Asked for before anything else, so that a signal during the start is not lost.
  const terminated = untilTerminated();
  const logging = createLogging(settings.common, {
    now: systemClock.now,
    sinks: openLogSinks(settings.common, systemClock.now),
  });
  const logger = logging.scope('default');
  for (const warning of settings.warnings) logger.warn({ ...warning }, 'A setting was not taken as written');
  if (settings.unimplemented.length > 0) {
    logger.warn({ settings: settings.unimplemented }, 'These settings are accepted but do nothing yet');
  }
  if (settings.loopback.length > 0) {
    const flags = settings.loopback.map(({ flag, port }) => `${flag}=:${port}`);
    logger.info(
      { toListenEverywhere: flags },
      'Outside a cluster, plaintext listeners take connections of this machine',
    );
  }
  try {
    const server = create(logging);
    try {
      const started = await Promise.race([server.start().then(() => true), terminated.then(() => false)]);
      const signal = await terminated;
      logger.info({ signal }, messages.stopping);
      // SIGINT comes from a terminal, where its sender waits.
      if (signal === 'SIGTERM' && started) await server.drain();
    } finally {
      await server.stop();
    }
    logger.info({}, messages.stopped);
  } finally {
    await logging.close();
  }
}

/** The first SIGTERM or SIGINT; a second one ends the process at once, as its sender expects. */
function untilTerminated(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const onSignal = (signal: NodeJS.Signals): void => {
      for (const name of signals) process.off(name, onSignal);
      resolve(signal);
    };
    for (const name of signals) process.on(name, onSignal);
  });
}
