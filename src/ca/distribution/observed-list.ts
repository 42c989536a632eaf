import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';

/** The current content of one list of the API server. */
export interface ObservedList {
  readonly sink: ReflectorSink;
  /** Objects by key; undefined before the list has been read once. */
  current(): ReadonlyMap<string, RawObject> | undefined;
}

/**
 * @param keyOf the key of an object
 * @param onChange receives the keys of objects that may have changed
 */
export function createObservedList(
  keyOf: (object: RawObject) => string,
  onChange: (keys: Iterable<string>) => void,
): ObservedList {
  let objects: Map<string, RawObject> | undefined;
  return {
    current: () => objects,
    sink: {
      isEmpty: () => objects === undefined || objects.size === 0,
      replace: () => {
        const found = new Map<string, RawObject>();
        return {
          add: (more) => {
            for (const object of more) found.set(keyOf(object), object);
          },
          commit: () => {
            const keys = new Set([...(objects?.keys() ?? []), ...found.keys()]);
            objects = found;
            onChange(keys);
          },
        };
      },
      apply: (events) => {
        for (const { type, object } of events) {
          if (type === 'DELETED') objects?.delete(keyOf(object));
          else objects?.set(keyOf(object), object);
        }
        onChange(new Set(events.map(({ object }) => keyOf(object))));
      },
    },
  };
}
