import { isRecord } from '../../base/record.js';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { ReflectorState } from '../../kubernetes/watch/judge-failure.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { CONFIG_MAP_KIND } from '../../kubernetes/watch/raw-kind.js';
import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';
import type { Logger } from '../../telemetry/logger.js';
import { createSettingsContent, type SettingsContent } from './settings-content.js';
import type { SettingsCustody } from './settings-custody.js';

export interface WatchedConfigMapOptions {
  readonly namespace: string;
  readonly name: string;
  /** Creates a watcher of the ConfigMap's cluster; rejects when there is no cluster. */
  readonly createWatcher: () => Promise<ListWatcher>;
  /** Scope `source`. */
  readonly logger: Logger;
}

export interface ConfigMapEntryOptions<Value> {
  /** Key in `data`. */
  readonly key: string;
  readonly read: SettingsReader<Value>;
  /** In force until the entry exists for the first time. */
  readonly defaults: Value;
  readonly custody?: SettingsCustody | undefined;
  /** Called when the value changes; not called for the first value. */
  readonly onChange: (value: Value) => void;
}

/** One settings document in a ConfigMap. */
export interface ConfigMapEntry<Value> extends Pick<SettingsContent<Value>, 'current' | 'problems' | 'warnings'> {
  /** Whether ConfigMap and key exist at present. */
  exists(): boolean;
  /**
   * Called at the start when the setting comes from this entry: makes sure that a usable content is in force.
   *
   * @throws SettingsRefusedError when the entry cannot be used or read, and no earlier content is known
   */
  settle(): Promise<void>;
}

/** A ConfigMap whose entries are settings, read at the start and again whenever it changes. */
export interface WatchedConfigMap {
  /** Declares an entry. Call it before the start. */
  entry<Value>(options: ConfigMapEntryOptions<Value>): ConfigMapEntry<Value>;
  /**
   * Settles when the content of the ConfigMap is known, or the API server forbids to read it. A ConfigMap that becomes
   * readable later is used then.
   *
   * @throws ClusterAccessError when there is no cluster
   */
  start(): Promise<void>;
  /** Also ends a running start. */
  stop(): Promise<void>;
}

/**
 * Watches one ConfigMap as settings files are watched (docs/reference/sources.md#settings). An entry that is missing at
 * the start means the defaults. An entry that cannot be used at the start is replaced by the last usable content. A
 * later bad or removed entry is logged, and the last valid value stays in force. A field selector lets RBAC allow this
 * ConfigMap by name alone.
 */
export function createWatchedConfigMap(options: WatchedConfigMapOptions): WatchedConfigMap {
  const { namespace, name, logger } = options;
  const entries: { readonly key: string; take(text: string | undefined): void }[] = [];
  let data: Readonly<Record<string, unknown>> = {};
  let refusal: string | undefined;
  let isStarted = false;
  let isStopped = false;
  let watcher: ListWatcher | undefined;
  let settle = (): void => undefined;
  const known = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const update = (next: Readonly<Record<string, unknown>>): void => {
    data = next;
    for (const { key, take } of entries) take(textOf(data, key));
    settle();
  };
  const sink: ReflectorSink = {
    isEmpty: () => Object.keys(data).length === 0,
    replace: () => {
      let found: RawObject | undefined;
      return {
        add: (objects) => {
          found = objects.find(({ metadata }) => metadata.name === name) ?? found;
        },
        commit: () => update(found === undefined ? {} : dataOf(found)),
      };
    },
    apply: (events) => {
      for (const { type, object } of events) {
        if (object.metadata.name === name) update(type === 'DELETED' ? {} : dataOf(object));
      }
    },
  };
  const onState = (state: ReflectorState): void => {
    if (state.type === 'failing') return;
    refusal = state.type === 'forbidden' ? `may not be read: ${state.err.message}; ${MAY_NOT}` : undefined;
    settle();
  };

  return {
    entry: ({ key, read, defaults, custody, onChange }) => {
      const place = { configMap: `${namespace}/${name}`, key };
      const label = `ConfigMap ${namespace}/${name}: data.${key}`;
      const content = createSettingsContent({ read, defaults, place, label, logger, custody });
      let last: string | undefined;
      const take = (text: string | undefined): void => {
        if (text === last) return;
        last = text;
        if (text === undefined) {
          content.absent(GONE, 'settings are gone, their last good content stays in force');
        } else if (content.accept(text) === 'changed' && isStarted) {
          logger.info(place, 'settings are reloaded');
          onChange(content.current());
        }
      };
      entries.push({ key, take });
      return {
        exists: () => textOf(data, key) !== undefined,
        settle: () => (refusal === undefined ? content.settle() : content.settle([refusal])),
        current: content.current,
        problems: () => [...(refusal === undefined ? [] : [refusal]), ...content.problems()],
        warnings: content.warnings,
      };
    },
    start: async () => {
      watcher = await options.createWatcher();
      if (isStopped) return await watcher.stop();
      const selector = { fieldSelector: `metadata.name=${name}` };
      watcher.watch({ definition: CONFIG_MAP_KIND, namespace, selector, sink, onState });
      await known;
      isStarted = true;
    },
    stop: async () => {
      isStopped = true;
      settle();
      await watcher?.stop();
    },
  };
}

const MAY_NOT = 'let the service account of this process list and watch it';
const GONE = 'does not exist any more; create it again, or restart for the defaults';

function dataOf(object: RawObject): Readonly<Record<string, unknown>> {
  const { data } = object as { readonly data?: unknown };
  return isRecord(data) ? data : {};
}

function textOf(data: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const text = data[key];
  return typeof text === 'string' ? text : undefined;
}
