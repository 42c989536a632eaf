import { isRecord } from '../../base/record.js';
import { apiVersionOf, type KindDefinition, modelKindOf } from '../../config/kind-definition.js';
import { type ObjectKey, objectKey } from '../../config/object.js';
import type { Condition, ObjectStatus, ValidationMessage } from '../conditions/condition.js';

/** The parts of an object at the API server that its status needs. @typeParam Status what is read of its status */
export interface ObservedObject<Status = ObjectStatus> {
  readonly key: ObjectKey;
  readonly apiVersion: string;
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly status: Status;
}

/** An object from a list, a watch or a write. */
interface RawObject {
  readonly apiVersion?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}

interface RawEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: RawObject;
}

/** The destination of one watched list of objects. */
export interface ObservedSink {
  replace(): { add(objects: readonly RawObject[]): void; commit(): void };
  apply(events: readonly RawEvent[]): void;
  isEmpty(): boolean;
}

/** The present state of every object whose status this process writes. */
export interface ObservedObjects<Status = ObjectStatus> {
  all(): Iterable<ObservedObject<Status>>;
  get(key: ObjectKey): ObservedObject<Status> | undefined;
  /** Creates the destination of one list. A kind that is watched in several namespaces has several lists. */
  sink(definition: KindDefinition): ObservedSink;
  /** Takes the result of a write, before the watch reports it. */
  written(known: ObservedObject<Status>, raw: unknown): ObservedObject<Status>;
  clear(): void;
}

/** The objects of the mesh's own kinds. @param onChange called after each change */
export function createObservedObjects(onChange: () => void): ObservedObjects {
  return observeObjects(statusOf, onChange);
}

/** @param readStatus reads the field `status` of an object. @param onChange called after each change */
export function observeObjects<Status>(
  readStatus: (status: unknown) => Status,
  onChange: () => void,
): ObservedObjects<Status> {
  const objects = new Map<ObjectKey, ObservedObject<Status>>();

  const take = (definition: KindDefinition, raw: RawObject): ObjectKey => {
    const found = observe(definition, raw, readStatus);
    const known = objects.get(found.key);
    // The watch may report a state from before the last write.
    if (known?.uid === found.uid && isOlder(found.resourceVersion, known.resourceVersion)) return found.key;
    objects.set(found.key, found);
    return found.key;
  };

  return {
    all: () => objects.values(),
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
              for (const key of keys) objects.delete(key);
              keys = new Set(found.map((raw) => take(definition, raw)));
              onChange();
            },
          };
        },
        apply: (events) => {
          for (const { type, object } of events) {
            const key = type === 'DELETED' ? keyOfRaw(definition, object) : take(definition, object);
            if (type === 'DELETED') {
              objects.delete(key);
              keys.delete(key);
            } else keys.add(key);
          }
          onChange();
        },
      };
    },
    written: (known, raw) => {
      if (!isRawObject(raw)) return known;
      const found = observe(known.definition, raw, readStatus);
      if (objects.has(known.key)) take(known.definition, raw);
      return found;
    },
    clear: () => objects.clear(),
  };
}

function observe<Status>(
  definition: KindDefinition,
  raw: RawObject,
  readStatus: (status: unknown) => Status,
): ObservedObject<Status> {
  const {
    name,
    namespace = '',
    resourceVersion,
    ...metadata
  }: RawObject['metadata'] & Record<string, unknown> = raw.metadata;
  const { uid, generation } = metadata;
  return {
    key: objectKey(modelKindOf(definition), namespace, name),
    apiVersion: raw.apiVersion ?? apiVersionOf(definition),
    definition,
    namespace,
    name,
    uid: typeof uid === 'string' ? uid : '',
    generation: typeof generation === 'number' ? generation : 0,
    resourceVersion,
    status: readStatus((raw as { readonly status?: unknown }).status),
  };
}

function statusOf(status: unknown): ObjectStatus {
  if (!isRecord(status)) return {};
  const { conditions, proxies, validationMessages } = status;
  return {
    ...(typeof proxies === 'string' ? { proxies } : {}),
    ...(Array.isArray(conditions) ? { conditions: conditions.filter(isRecord) as unknown as Condition[] } : {}),
    ...(Array.isArray(validationMessages) && validationMessages.length > 0
      ? { validationMessages: validationMessages as ValidationMessage[] }
      : {}),
  };
}

function keyOfRaw(definition: KindDefinition, { metadata: { namespace = '', name } }: RawObject): ObjectKey {
  return objectKey(modelKindOf(definition), namespace, name);
}

function isRawObject(value: unknown): value is RawObject {
  return isRecord(value) && isRecord(value['metadata']) && typeof value['metadata']['resourceVersion'] === 'string';
}

/** Compares resource versions, which are growing decimal numbers; false for other texts. */
function isOlder(version: string, than: string): boolean {
  const [first, second] = [version, than].map((text) => (/^[1-9]\d*$/.test(text) ? BigInt(text) : undefined));
  return first !== undefined && second !== undefined && first < second;
}
