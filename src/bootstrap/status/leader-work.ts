import type { KindDefinition } from '../../config/kind-definition.js';
import type { Query } from '../../kubernetes/client/api-client.js';
import type { ListWatcher, WatchedList } from '../../kubernetes/watch/list-watcher.js';
import { resourcesOf } from '../../kubernetes/watch/resource.js';
import { createObservedObjects } from '../../status/kubernetes/observed-objects.js';
import { createStatusLoop, type StatusLoopOptions } from '../../status/kubernetes/status-loop.js';
import { createStatusWriter, type StatusWriterOptions } from '../../status/kubernetes/status-writer.js';

export interface LeaderWorkOptions
  extends Omit<StatusLoopOptions, 'objects' | 'writer'>,
    Omit<StatusWriterOptions, 'objects'> {
  readonly createWatcher: () => ListWatcher;
  /** Kinds whose objects have a status. */
  readonly definitions: readonly KindDefinition[];
  /** Namespaces that are read; empty for all. */
  readonly namespaces: readonly string[];
  /** Selects the objects; undefined for all. */
  readonly selector: Query | undefined;
  /** Further lists that a leader watches. */
  readonly lists: readonly WatchedList[];
}

/** The work of the leading instance: it watches the objects with their statuses, and writes the statuses. */
export interface LeaderWork {
  begin(): void;
  /** Facts may have changed. */
  changed(): void;
  /** Settles when all writes have ended. */
  end(): Promise<void>;
}

export function createLeaderWork(options: LeaderWorkOptions): LeaderWork {
  const { definitions, namespaces, selector } = options;
  const objects = createObservedObjects(() => loop.changed());
  const loop = createStatusLoop({ ...options, objects, writer: createStatusWriter({ ...options, objects }) });
  let watcher: ListWatcher | undefined;
  return {
    begin: () => {
      if (watcher !== undefined) return;
      watcher = options.createWatcher();
      for (const resource of definitions.flatMap((definition) => resourcesOf(definition, namespaces))) {
        const list = { ...resource, sink: objects.sink(resource.definition) };
        watcher.watch(selector === undefined ? list : { ...list, selector });
      }
      for (const list of options.lists) watcher.watch(list);
      loop.start();
    },
    changed: loop.changed,
    end: async () => {
      await loop.stop();
      await watcher?.stop();
      watcher = undefined;
      objects.clear();
    },
  };
}
