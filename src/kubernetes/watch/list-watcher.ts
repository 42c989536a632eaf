import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.js';
import type { KindDefinition } from '../../config/kind-definition.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ApiClient, Query } from '../client/api-client.js';
import type { ReflectorState } from './judge-failure.js';
import { type ReflectorSink, runReflector } from './reflector.js';
import { createStateLog, type StateLog } from './state-log.js';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from './watch-timing.js';

/** One list to watch, and the sink for its objects. */
export interface WatchedList {
  readonly definition: KindDefinition;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Only objects that a label or field selector finds. */
  readonly selector?: Query;
  readonly sink: ReflectorSink;
  /** Called with the state of the watch whenever the state becomes known again, changed or not. */
  readonly onState?: (state: ReflectorState) => void;
  /** Called with the texts of the API server's Warning headers. */
  readonly onWarnings?: (warnings: readonly string[]) => void;
}

export interface ListWatcherOptions {
  readonly api: ApiClient;
  /** URL of the API server, for logs. */
  readonly server: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing?: Partial<WatchTiming> | undefined;
  /** From 0 up to, not including, 1: for jitter. Default Math.random. */
  readonly random?: (() => number) | undefined;
}

/** Watches the lists of one API server until it is stopped. */
export interface ListWatcher {
  watch(list: WatchedList): void;
  stop(): Promise<void>;
}

/** A watcher that also says which lists cannot be read. */
export interface ReportingListWatcher extends ListWatcher, Pick<StateLog, 'forbidden' | 'outage'> {}

export function createListWatcher(options: ListWatcherOptions): ReportingListWatcher {
  const { api, clock } = options;
  const stopping = new AbortController();
  // Each request in flight listens to the signal.
  setMaxListeners(0, stopping.signal);
  const timing = { ...DEFAULT_WATCH_TIMING, ...options.timing };
  const stateLog = createStateLog(options);
  const running: Promise<void>[] = [];
  return {
    watch: ({ definition, namespace, selector, sink, onState, onWarnings }) => {
      const resource = { definition, namespace };
      const reflector = {
        resource,
        api: selector === undefined ? api : selecting(api, selector),
        sink,
        clock,
        timing,
        random: options.random ?? Math.random,
        onState: (state: ReflectorState) => {
          stateLog.update(resource, state);
          onState?.(state);
        },
        onWarnings: onWarnings ?? (() => undefined),
      };
      running.push(runReflector(reflector, stopping.signal));
    },
    forbidden: stateLog.forbidden,
    outage: stateLog.outage,
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function selecting(api: ApiClient, selector: Query): ApiClient {
  return {
    ...api,
    getJson: (path, query, limits) => api.getJson(path, { ...query, ...selector }, limits),
    open: (path, query, limits) => api.open(path, { ...query, ...selector }, limits),
  };
}
