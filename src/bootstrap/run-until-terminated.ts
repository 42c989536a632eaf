import { systemClock } from '../base/clock.js';
import type { Logging } from '../telemetry/logging.js';
import { createLogging } from '../telemetry/logging.js';
import { openLogSinks } from '../telemetry/open-log-sinks.js';
import type { CommonFlags, LoopbackDefault, SettingWarning, UnimplementedSetting } from './options.js';

/** A server, wired and not yet running. */
interface Runnable {
  start(): Promise<unknown>;
  /** Keeps serving and reports not ready, until callers have left. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunSettings {
  readonly common: CommonFlags;
  readonly warnings: readonly SettingWarning[];
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly loopback: readonly LoopbackDefault[];
}

/** Log messages at the end. */
export interface RunMessages {
  readonly stopping: string;
  readonly stopped: string;
}

/**
 * Runs a server until SIGTERM or SIGINT, and then stops it gracefully.
 *
 * @throws the error of its start
 */
export async function runUntilTerminated(
  settings: RunSettings,
  messages: RunMessages,
  create: (logging: Logging) => Runnable,
): Promise<void> {
  // The signal handlers come first, so that a signal during the start is not lost.
  const terminated = untilTerminated();
  const logging = createLogging(settings.common, {
    now: systemClock.now,
    sinks: openLogSinks(settings.common, systemClock.now),
  });
  const logger = logging.scope('default');
  for (const warning of settings.warnings) logger.warn({ ...warning }, 'setting not used as written');
  if (settings.unimplemented.length > 0) {
    logger.warn({ settings: settings.unimplemented }, 'settings without effect yet');
  }
  if (settings.loopback.length > 0) {
    const flags = settings.loopback.map(({ flag, port }) => `${flag}=:${port}`);
    logger.info(
      { toListenEverywhere: flags },
      'plaintext listeners accept connections of this machine only, outside a cluster',
    );
  }
  // The process ends after this, as it does without a handler.
  const onCrash = (err: unknown): void => logging.fatal({ err }, 'process ends because of an unexpected error');
  process.on('uncaughtExceptionMonitor', onCrash);
  try {
    const server = create(logging);
    try {
      const started = await Promise.race([server.start().then(() => true), terminated.then(() => false)]);
      const signal = await terminated;
      logger.info({ signal }, messages.stopping);
      // SIGINT comes from a terminal, where the user waits: no drain.
      if (signal === 'SIGTERM' && started) await server.drain();
    } finally {
      await server.stop();
    }
    logger.info({}, messages.stopped);
  } catch (error) {
    logging.fatal({ err: error }, 'process ends because the server failed');
    throw error;
  } finally {
    process.off('uncaughtExceptionMonitor', onCrash);
    await logging.close();
  }
}

/** Settles at the first SIGTERM or SIGINT. A second one ends the process at once. */
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
