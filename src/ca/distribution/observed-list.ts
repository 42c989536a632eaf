import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';

/** One list of the API server as it is now. */
export interface ObservedList {
  readonly sink: ReflectorSink;
  /** By key; undefined before the whole list was read once. */
  current(): ReadonlyMap<string, RawObject> | undefined;
}

/**
 * @param keyOf what of an object names it
 * @param onChange is told which keys may be otherwise now
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
