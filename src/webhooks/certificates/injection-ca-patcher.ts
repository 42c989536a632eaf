import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import type { Logger } from '../../telemetry/logger.js';
import { type CaBundleSource, readCaBundle } from './ca-bundle.js';
import { createChangeSink, createRepeatedWork } from './repeated-work.js';
import { configurationPath, MUTATING_CONFIGURATION_KIND, trustOf, trustPatch } from './webhook-configuration.js';
import { createWritePace, UNDONE_REMEDY } from './write-pace.js';

export interface InjectionCaPatcherOptions {
  /** Name of the mutating webhook configuration (INJECTION_WEBHOOK_CONFIG_NAME); empty to patch none. */
  readonly configName: string;
  readonly meshDomain: string;
  readonly caBundle: CaBundleSource;
  readonly send: SendRequest;
  readonly createWatcher: (logger: Logger) => ListWatcher;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface InjectionCaPatcher {
  start(): void;
  stop(): Promise<void>;
}

const RETRY_MS = 1000;

/**
 * Keeps the caBundle of the injection webhook's entries equal to the present root certificates. Every instance does this:
 * all write the same content, and only if it differs (docs/reference/webhooks.md#injection-certificate).
 */
export function createInjectionCaPatcher(options: InjectionCaPatcherOptions): InjectionCaPatcher {
  const { configName, caBundle, createWatcher, clock, logger } = options;
  let stop = async (): Promise<void> => undefined;
  return {
    start: () => {
      if (configName === '') return;
      const work = createRepeatedWork(createPatcher(options), clock);
      const watcher = createWatcher(logger);
      const selector = { fieldSelector: `metadata.name=${configName}` };
      const sink = createChangeSink(work.request);
      watcher.watch({ definition: MUTATING_CONFIGURATION_KIND, namespace: '', selector, sink });
      const unsubscribe = caBundle.onChange(work.request);
      work.request();
      stop = async () => {
        unsubscribe();
        await Promise.all([watcher.stop(), work.stop()]);
      };
    },
    stop: () => stop(),
  };
}

/** @returns the work: it returns the milliseconds until the next attempt, or undefined to wait for a change */
function createPatcher(options: InjectionCaPatcherOptions): () => Promise<number | undefined> {
  const { configName, meshDomain, caBundle, send, clock, logger } = options;
  const pace = createWritePace(clock);
  const entry = `sidecar-injector.${meshDomain}`;
  const path = configurationPath(MUTATING_CONFIGURATION_KIND, configName);
  const fields = { configuration: configName, entry };
  let lastTrouble = '';

  /** Logs a problem once, until another problem or a success. */
  const tell = (trouble: string, message: string): void => {
    if (trouble !== lastTrouble) logger.warn({ ...fields, reason: trouble }, message);
    lastTrouble = trouble;
  };

  const patch = async (): Promise<number | undefined> => {
    const bundle = readCaBundle(caBundle);
    if (bundle.type === 'unusable') {
      tell(bundle.cause, 'root certificates for the injection webhook cannot be used');
      return undefined;
    }
    const present = await send({ method: 'GET', path });
    if (present.status !== 200) {
      tell(refusalText(present), 'injection webhook configuration cannot be read');
      return present.status === 404 ? undefined : RETRY_MS;
    }
    const trusted = trustOf(present.body, entry);
    if (trusted.size === 0) {
      tell(`it has no entry ${entry}`, 'injection webhook configuration has no entry of this mesh');
      return undefined;
    }
    if ([...trusted.values()].some((bytes) => bytes !== bundle.base64)) {
      const waitMs = pace.waitMs();
      if (waitMs > 0) {
        tell(UNDONE_REMEDY, 'injection webhook configuration does not keep its root certificates');
        return waitMs;
      }
      pace.wrote();
      const contentType = 'application/strategic-merge-patch+json';
      const answer = await send({
        method: 'PATCH',
        path,
        contentType,
        body: trustPatch(trusted.keys(), bundle.base64),
      });
      if (answer.status >= 300) {
        tell(refusalText(answer), 'injection webhook configuration cannot be patched');
        return RETRY_MS;
      }
      logger.info(fields, 'injection webhook configuration has the present root certificates');
    }
    lastTrouble = '';
    return undefined;
  };

  return async () => {
    try {
      return await patch();
    } catch (error) {
      const trouble = errorText(error);
      tell(trouble, 'request about the injection webhook configuration failed');
      return RETRY_MS;
    }
  };
}
