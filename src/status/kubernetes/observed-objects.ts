import { isRecord } from '../../base/record.js';
import { apiVersionOf, type KindDefinition } from '../../config/kind-definition.js';
import { type ObjectKey, objectKey } from '../../config/object.js';
import type { Condition, ObjectStatus, ValidationMessage } from '../conditions/condition.js';

/** The parts of an object at the API server that its status needs. */
export interface ObservedObject {
  readonly key: ObjectKey;
  readonly apiVersion: string;
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly status: ObjectStatus;
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
export interface ObservedObjects {
  all(): Iterable<ObservedObject>;
  get(key: ObjectKey): ObservedObject | undefined;
  /** Creates the destination of one list. A kind that is watched in several namespaces has several lists. */
  sink(definition: KindDefinition): ObservedSink;
  /** Takes the result of a write, before the watch reports it. */
  written(known: ObservedObject, raw: unknown): ObservedObject;
  clear(): void;
}

/** @param onChange called after each change */
export function createObservedObjects(onChange: () => void): ObservedObjects {
  const objects = new Map<ObjectKey, ObservedObject>();

  const take = (definition: KindDefinition, raw: RawObject): ObjectKey => {
    const found = observe(definition, raw);
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
      const found = observe(known.definition, raw);
      if (objects.has(known.key)) take(known.definition, raw);
      return found;
    },
    clear: () => objects.clear(),
  };
}

function observe(definition: KindDefinition, raw: RawObject): ObservedObject {
  const {
    name,
    namespace = '',
    resourceVersion,
    ...metadata
  }: RawObject['metadata'] & Record<string, unknown> = raw.metadata;
  const { uid, generation } = metadata;
  return {
    key: objectKey(definition.kind, namespace, name),
    apiVersion: raw.apiVersion ?? apiVersionOf(definition),
    definition,
    namespace,
    name,
    uid: typeof uid === 'string' ? uid : '',
    generation: typeof generation === 'number' ? generation : 0,
    resourceVersion,
    status: statusOf((raw as { readonly status?: unknown }).status),
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

function keyOfRaw({ kind }: KindDefinition, { metadata: { namespace = '', name } }: RawObject): ObjectKey {
  return objectKey(kind, namespace, name);
}

function isRawObject(value: unknown): value is RawObject {
  return isRecord(value) && isRecord(value['metadata']) && typeof value['metadata']['resourceVersion'] === 'string';
}

/** Compares resource versions, which are growing decimal numbers; false for other texts. */
function isOlder(version: string, than: string): boolean {
  const [first, second] = [version, than].map((text) => (/^[1-9]\d*$/.test(text) ? BigInt(text) : undefined));
  return first !== undefined && second !== undefined && first < second;
}
