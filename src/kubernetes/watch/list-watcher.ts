import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.js';
import type { KindDefinition } from '../../config/kind-definition.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ApiClient, Query } from '../client/api-client.js';
import type { ReflectorState } from './judge-failure.js';
import { type ReflectorSink, runReflector } from './reflector.js';
import { createStateLog } from './state-log.js';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from './watch-timing.js';

/** One list to watch, and where to put it. */
export interface WatchedList {
  readonly definition: KindDefinition;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Only objects that a label or field selector finds. */
  readonly selector?: Query;
  readonly sink: ReflectorSink;
  /** Called whenever it is known anew how the watching stands. */
  readonly onState?: (state: ReflectorState) => void;
}

export interface ListWatcherOptions {
  readonly api: ApiClient;
  readonly server: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing?: Partial<WatchTiming>;
}

/** Watches lists until it is told to stop. */
export interface ListWatcher {
  watch(list: WatchedList): void;
  stop(): Promise<void>;
}

export function createListWatcher({ api, server, clock, logger, ...options }: ListWatcherOptions): ListWatcher {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const timing = { ...DEFAULT_WATCH_TIMING, ...options.timing };
  const stateLog = createStateLog({ server, logger, clock });
  const running: Promise<void>[] = [];
  return {
    watch: ({ definition, namespace, selector, sink, onState }) => {
      const resource = { definition, namespace };
      const reflector = {
        resource,
        api: selector === undefined ? api : selecting(api, selector),
        sink,
        clock,
        timing,
        random: Math.random,
        onState: (state: ReflectorState) => {
          stateLog.update(resource, state);
          onState?.(state);
        },
        onWarnings: () => undefined,
      };
      running.push(runReflector(reflector, stopping.signal));
    },
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
