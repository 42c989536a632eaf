import { isRecord } from '../../base/record.js';
import { apiVersionOf, type KindDefinition, modelKindOf } from '../../config/kind-definition.js';
import { type ObjectKey, objectKey } from '../../config/object.js';
import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';

/** An object of the Gateway API, or an Ingress, at the API server, as far as its status needs it. */
export interface ApiStatusObject {
  readonly key: ObjectKey;
  /** URL path of its status. */
  readonly path: string;
  readonly resource: string;
  readonly resourceVersion: string;
  readonly status: Readonly<Record<string, unknown>>;
}

/** The present state of the objects whose statuses this process writes. */
export interface ApiStatusObjects {
  get(key: ObjectKey): ApiStatusObject | undefined;
  /** Creates the destination of one list. */
  sink(definition: KindDefinition): ReflectorSink;
  /**
   * Takes the answer to a write before the watch reports it. A state that the watch has reported meanwhile stays: it is the
   * written one, or a later one.
   *
   * @param from the state that the write started from
   * @returns the state that the write made
   */
  written(from: ApiStatusObject, raw: unknown): ApiStatusObject;
  clear(): void;
}

/** @param onChange called after each change */
export function createApiStatusObjects(onChange: () => void): ApiStatusObjects {
  const objects = new Map<ObjectKey, ApiStatusObject>();
  const definitions = new Map<ObjectKey, KindDefinition>();
  const take = (definition: KindDefinition, raw: RawObject): ObjectKey => {
    const object = observe(definition, raw);
    objects.set(object.key, object);
    definitions.set(object.key, definition);
    return object.key;
  };
  const remove = (key: ObjectKey): void => {
    objects.delete(key);
    definitions.delete(key);
  };
  return {
    get: (key) => objects.get(key),
    sink: (definition) => {
      let keys = new Set<ObjectKey>();
      return {
        isEmpty: () => keys.size === 0,
        replace: () => {
          const found: RawObject[] = [];
          return {
            add: (more) => found.push(...more),
            commit: () => {
              for (const key of keys) remove(key);
              keys = new Set(found.map((raw) => take(definition, raw)));
              onChange();
            },
          };
        },
        apply: (events) => {
          for (const { type, object } of events) {
            if (type === 'DELETED') {
              const { key } = observe(definition, object);
              remove(key);
              keys.delete(key);
            } else keys.add(take(definition, object));
          }
          onChange();
        },
      };
    },
    written: (from, raw) => {
      const definition = definitions.get(from.key);
      if (definition === undefined || !isRecord(raw) || !isRecord(raw['metadata'])) return from;
      const made = observe(definition, raw as unknown as RawObject);
      if (objects.get(from.key)?.resourceVersion === from.resourceVersion) objects.set(from.key, made);
      return made;
    },
    clear: () => {
      objects.clear();
      definitions.clear();
    },
  };
}

function observe(definition: KindDefinition, raw: RawObject): ApiStatusObject {
  const { name, namespace = '', resourceVersion } = raw.metadata;
  const { plural, group } = definition;
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const status = (raw as { readonly status?: unknown }).status;
  return {
    key: objectKey(modelKindOf(definition), namespace, name),
    path: `/apis/${apiVersionOf(definition)}${scope}/${plural}/${encodeURIComponent(name)}/status`,
    resource: `${plural}.${group}`,
    resourceVersion,
    status: isRecord(status) ? status : {},
  };
}
