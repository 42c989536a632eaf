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
  /** Every root that is trusted, PEM; empty while there is none. */
  readonly roots: () => string;
  readonly meshDomain: string;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
}

/** Keeps the roots in a ConfigMap of every namespace. One instance of the control plane does so at a time. */
export interface RootDistributor {
  start(): void;
  /** The roots are others now. */
  rootsChanged(): void;
  /** Settles when nothing is being written any more. */
  stop(): Promise<void>;
}

const NAMESPACE_KIND = rawKind({ group: '', kind: 'Namespace', plural: 'namespaces', namespaced: false });
/** BEHAVIOUR 4, "Root distribution". */
const RESYNC_MS = 60_000;
/** One write at a time, and no more than fifty a second: an API server has other things to do when roots change. */
const WRITE_GAP_MS = 20;
/** Writes to one namespace between two resyncs: whoever undoes ours would have us write without end. */
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
  /** Namespaces to look at, the one that has waited longest first. */
  const queue = new Set<string>();
  /** How often each was written to since the last resync. */
  const writes = new Map<string, number>();
  /** Namespaces that could not be written to; tried again at the next resync. */
  const refused = new Set<string>();
  /** Answers that were told of. */
  const told = new Set<number>();
  /** Whether both lists have come. */
  let isKnown = false;
  let isWorking = false;
  let isTroubled = false;
  let isStopped = false;
  let writing: Promise<void> | undefined;
  let cancelNext = (): void => undefined;
  let cancelResync = (): void => undefined;

  const enqueue = (keys: Iterable<string>): void => {
    // What is in place is known when both lists are; the last of them to come may name few namespaces or none.
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

  /** Takes namespaces from the queue up to one that is to be written to. @returns how long to wait. */
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
    const remedy = 'find who else writes to it; two control planes must not share a cluster with roots of their own';
    logger.warn({ namespace, remedy }, 'Somebody else keeps changing the root certificates of a namespace');
    return false;
  };

  const conclude = (namespace: string, answer: ApiAnswer): number => {
    const { status } = answer;
    if (status === 429 || status >= 500) return postpone(namespace, refusalText(answer), answer.retryAfterMs);
    if (isTroubled) logger.info({}, 'Root certificates can be written to namespaces again');
    isTroubled = false;
    backoff.reset();
    if (status < 300) {
      logger.debug({ namespace }, 'The root certificates are in the ConfigMap of a namespace');
      return WRITE_GAP_MS;
    }
    refused.add(namespace);
    // Gone, or about to: the watch will tell.
    if (status === 404 || isTerminating(answer) || told.has(status)) return WRITE_GAP_MS;
    told.add(status);
    const right = `let the service account create and patch configmaps ${ROOT_CONFIG_MAP} in all namespaces`;
    const remedy = status === 403 ? { remedy: right } : {};
    logger.error(
      { namespace, reason: refusalText(answer), ...remedy },
      'A namespace cannot be given root certificates',
    );
    return WRITE_GAP_MS;
  };

  const postpone = (namespace: string, err: unknown, retryAfterMs: number | undefined): number => {
    queue.add(namespace);
    if (!isTroubled) logger.warn({ namespace, err }, 'Root certificates cannot be written now; trying again');
    isTroubled = true;
    return Math.max(backoff.nextMs(), retryAfterMs ?? 0);
  };

  const resync = (): void => {
    if (refused.size === 0) told.clear();
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

/** Whether a namespace is there, and takes new objects. */
function isActive(raw: RawObject | undefined): boolean {
  if (raw === undefined) return false;
  const { metadata, status } = raw as RawObject & { readonly status?: unknown };
  const { deletionTimestamp } = metadata as RawObject['metadata'] & { readonly deletionTimestamp?: unknown };
  return deletionTimestamp === undefined && !(isRecord(status) && status['phase'] === 'Terminating');
}

/** The API server's cause of a refusal, in a namespace that is being deleted. */
function isTerminating({ body }: ApiAnswer): boolean {
  const details = isRecord(body) && isRecord(body['details']) ? body['details'] : {};
  const causes: readonly unknown[] = Array.isArray(details['causes']) ? details['causes'] : [];
  return causes.some((cause) => isRecord(cause) && cause['reason'] === 'NamespaceTerminating');
}
