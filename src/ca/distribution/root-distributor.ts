import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { CONFIG_MAP_KIND, rawKind } from '../../kubernetes/watch/raw-kind.js';
import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { Logger } from '../../telemetry/logger.js';
import { createObservedList } from './observed-list.js';
import { applyRequest, isInPlace, ROOT_CONFIG_MAP, type RootConfigMap } from './root-config-map.js';

export interface RootDistributorOptions {
  readonly send: SendRequest;
  readonly watcher: ListWatcher;
  /** All trusted roots, PEM; empty while there is none. */
  readonly roots: () => string;
  readonly meshDomain: string;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
}

/** Keeps the roots in a ConfigMap of every namespace. One instance of the control plane does this at a time. */
export interface RootDistributor {
  start(): void;
  /** The roots have changed. */
  rootsChanged(): void;
  /** Settles when the write in progress has ended. */
  stop(): Promise<void>;
}

const NAMESPACE_KIND = rawKind({ group: '', kind: 'Namespace', plural: 'namespaces', namespaced: false });
/** See docs/reference/certificate-authority.md#root-distribution. */
const RESYNC_MS = 60_000;
/** One write at a time and at most fifty a second, so that a change of roots does not overload the API server. */
const WRITE_GAP_MS = 20;
/**
 * Writes to one namespace between two resyncs. Without this bound, another writer that reverts each write would cause
 * endless writes.
 */
const MAX_WRITES = 5;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

export function createRootDistributor(options: RootDistributorOptions): RootDistributor {
  const { send, watcher, roots, meshDomain, clock, logger, random } = options;
  const backoff = createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random });
  const namespaces = createObservedList(
    ({ metadata: { name } }) => name,
    (keys) => enqueue(keys),
  );
  const configMaps = createObservedList(
    ({ metadata: { namespace } }) => namespace ?? '',
    (keys) => enqueue(keys),
  );
  /** Namespaces to check, the longest-waiting first. */
  const queue = new Set<string>();
  /** Writes to each namespace since the last resync. */
  const writes = new Map<string, number>();
  /** Namespaces that rejected a write; retried at the next resync. */
  const refused = new Set<string>();
  /** Statuses that were logged. */
  const logged = new Set<number>();
  /** Whether both lists have been read. */
  let isKnown = false;
  let isWorking = false;
  let isTroubled = false;
  let isStopped = false;
  let writing: Promise<void> | undefined;
  let cancelNext = (): void => undefined;
  let cancelResync = (): void => undefined;

  const enqueue = (keys: Iterable<string>): void => {
    // The state is known only after both lists. The second list may name few namespaces or none, so all are checked
    // then.
    const present = namespaces.current();
    if (present === undefined || configMaps.current() === undefined) return;
    for (const key of isKnown ? keys : present.keys()) queue.add(key);
    isKnown = true;
    if (!isWorking) next(0);
  };

  const enqueueAll = (): void => enqueue(namespaces.current()?.keys() ?? []);

  const next = (waitMs: number): void => {
    isWorking = queue.size > 0 && !isStopped;
    if (isWorking) cancelNext = clock.schedule(waitMs, begin);
  };

  const begin = (): void => {
    writing = writeOne().then((waitMs) => {
      writing = undefined;
      next(waitMs);
    });
  };

  /** Takes namespaces from the queue until one needs a write. @returns the wait before the next call. */
  const writeOne = async (): Promise<number> => {
    for (const namespace of queue) {
      queue.delete(namespace);
      const wanted = { namespace, roots: roots(), meshDomain };
      if (!isWanted(wanted) || isInPlace(configMaps.current()?.get(namespace), wanted)) continue;
      writes.set(namespace, (writes.get(namespace) ?? 0) + 1);
      try {
        return conclude(namespace, await send(applyRequest(wanted)));
      } catch (err) {
        return postpone(namespace, err, undefined);
      }
    }
    return 0;
  };

  const isWanted = ({ namespace, roots: text }: RootConfigMap): boolean => {
    if (text === '' || refused.has(namespace) || !isActive(namespaces.current()?.get(namespace))) return false;
    if ((writes.get(namespace) ?? 0) < MAX_WRITES) return true;
    refused.add(namespace);
    const remedy = 'find the other writer; two control planes in one cluster must share their roots';
    logger.warn({ namespace, remedy }, 'root certificates overwritten by another writer');
    return false;
  };

  const conclude = (namespace: string, answer: ApiAnswer): number => {
    const { status } = answer;
    if (status === 429 || status >= 500) return postpone(namespace, refusalText(answer), answer.retryAfterMs);
    if (isTroubled) logger.info({}, 'root certificate writes resumed');
    isTroubled = false;
    backoff.reset();
    if (status < 300) {
      logger.debug({ namespace }, 'root certificates written');
      return WRITE_GAP_MS;
    }
    refused.add(namespace);
    // The namespace is gone or terminating; the watch reports that.
    if (status === 404 || isTerminating(answer) || logged.has(status)) return WRITE_GAP_MS;
    logged.add(status);
    const right = `let the service account create and patch configmaps ${ROOT_CONFIG_MAP} in all namespaces`;
    const remedy = status === 403 ? { remedy: right } : {};
    logger.error({ namespace, reason: refusalText(answer), ...remedy }, 'root certificate write rejected');
    return WRITE_GAP_MS;
  };

  const postpone = (namespace: string, err: unknown, retryAfterMs: number | undefined): number => {
    queue.add(namespace);
    if (!isTroubled) logger.warn({ namespace, err }, 'root certificate write failed, retrying');
    isTroubled = true;
    return Math.max(backoff.nextMs(), retryAfterMs ?? 0);
  };

  const resync = (): void => {
    if (refused.size === 0) logged.clear();
    refused.clear();
    writes.clear();
    enqueueAll();
    if (!isStopped) cancelResync = clock.schedule(RESYNC_MS, resync);
  };

  return {
    start: () => {
      const selector = { fieldSelector: `metadata.name=${ROOT_CONFIG_MAP}` };
      watcher.watch({ definition: NAMESPACE_KIND, namespace: '', sink: namespaces.sink });
      watcher.watch({ definition: CONFIG_MAP_KIND, namespace: '', selector, sink: configMaps.sink });
      cancelResync = clock.schedule(RESYNC_MS, resync);
    },
    rootsChanged: enqueueAll,
    stop: async () => {
      isStopped = true;
      cancelNext();
      cancelResync();
      await watcher.stop();
      await writing;
    },
  };
}

/** Whether a namespace exists and accepts new objects. */
function isActive(raw: RawObject | undefined): boolean {
  if (raw === undefined) return false;
  const { metadata, status } = raw as RawObject & { readonly status?: unknown };
  const { deletionTimestamp } = metadata as RawObject['metadata'] & { readonly deletionTimestamp?: unknown };
  return deletionTimestamp === undefined && !(isRecord(status) && status['phase'] === 'Terminating');
}

/** Whether the API server rejected a write because the namespace is terminating. */
function isTerminating({ body }: ApiAnswer): boolean {
  const details = isRecord(body) && isRecord(body['details']) ? body['details'] : {};
  const causes: readonly unknown[] = Array.isArray(details['causes']) ? details['causes'] : [];
  return causes.some((cause) => isRecord(cause) && cause['reason'] === 'NamespaceTerminating');
}
