import { setMaxListeners } from 'node:events';
import { Type } from 'typebox';
import type { KindDefinition } from '../../config/kind-definition.js';
import type { ApiClient, Query } from '../../sources/kubernetes/client/api-client.js';
import { createStateLog } from '../../sources/kubernetes/state-log.js';
import { type ReflectorSink, runReflector } from '../../sources/kubernetes/watch/reflector.js';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from '../../sources/kubernetes/watch/watch-timing.js';
import type { Clock } from '../../telemetry/clock.js';
import type { Logger } from '../../telemetry/logger.js';

/** Read for the reports of other instances alone; nothing of it is a mesh's configuration. */
export const CONFIG_MAP_KIND: KindDefinition = {
  group: '',
  versions: ['v1'],
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  schema: Type.Object({}),
  bodyAt: 'object',
  unknownFields: 'dropped',
  validate: () => [],
};

/** One list to watch, and where to put it. */
export interface WatchedList {
  readonly definition: KindDefinition;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Only objects that a label or field selector finds. */
  readonly selector?: Query;
  readonly sink: ReflectorSink;
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
    watch: ({ definition, namespace, selector, sink }) => {
      const resource = { definition, namespace };
      const reflector = {
        resource,
        api: selector === undefined ? api : selecting(api, selector),
        sink,
        clock,
        timing,
        random: Math.random,
        onState: (state: Parameters<typeof stateLog.update>[1]) => stateLog.update(resource, state),
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
