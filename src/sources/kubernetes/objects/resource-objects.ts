import { isDeepStrictEqual } from 'node:util';
import { type KindDefinition, modelKindOf } from '../../../config/kind-definition.js';
import { type MeshObject, objectKey } from '../../../config/object.js';
import type { RawObject } from '../../../kubernetes/watch/raw-object.js';
import type { ReflectorSink, Replacement } from '../../../kubernetes/watch/reflector.js';
import type { ObjectChange } from '../../../model/object-change.js';
import type { EventRecorder } from './event-recorder.js';
import type { ObjectProblem } from './object-report.js';
import type { ClusterReadResult } from './read-cluster-object.js';

export interface ResourceObjectsOptions {
  readonly definition: KindDefinition;
  readonly read: (raw: RawObject) => ClusterReadResult;
  readonly recorder: EventRecorder;
  readonly onProblems: (key: string, problems: readonly ObjectProblem[]) => void;
  /** Whether an object that became invalid is withdrawn; otherwise its last valid state stays. */
  readonly withdrawsInvalid: boolean;
  /** Called with the changes of one step; the list is never empty. */
  readonly onChanges: (changes: readonly ObjectChange[]) => void;
  /** Called when a whole list has been read. */
  readonly onReplaced: () => void;
}

/** The state of one object of the API server. */
interface Entry {
  /** Resource version that was read last, valid or not. */
  readonly resourceVersion: string;
  /** The served object; undefined when no version was valid. */
  readonly object: MeshObject | undefined;
  readonly problems: readonly ObjectProblem[];
}

const NO_PROBLEMS: readonly ObjectProblem[] = [];

/** The served objects of one watched list, and their changes. */
export interface ResourceObjects extends ReflectorSink {
  all(): Iterable<MeshObject>;
}

export function createResourceObjects(options: ResourceObjectsOptions): ResourceObjects {
  const { definition, read, recorder, onProblems, onChanges, onReplaced } = options;
  let entries = new Map<string, Entry>();

  const next = (raw: RawObject, known: Entry | undefined): Entry => {
    const { resourceVersion } = raw.metadata;
    if (known?.resourceVersion === resourceVersion) return known;
    const result = read(raw);
    recorder.converted(definition, result.type === 'object');
    if (result.type === 'refused') {
      const object = options.withdrawsInvalid ? undefined : known?.object;
      return { resourceVersion, object, problems: result.problems };
    }
    const object = known?.object !== undefined && isSame(known.object, result.object) ? known.object : result.object;
    return { resourceVersion, object, problems: NO_PROBLEMS };
  };

  /** Tells new problems, and records the change of an object. An entry of a list that did not end never gets here. */
  const compare = (name: string, known: Entry | undefined, found: Entry | undefined, changes: ObjectChange[]): void => {
    const problems = found?.problems ?? NO_PROBLEMS;
    if (found !== known && (problems.length > 0 || (known?.problems.length ?? 0) > 0)) {
      onProblems(objectKey(modelKindOf(definition), ...splitName(name)), problems);
    }
    if (found === undefined) {
      if (known === undefined) return;
      recorder.event(definition, 'delete');
    } else if (known === undefined) {
      recorder.event(definition, 'add');
    } else {
      recorder.event(definition, known.object === found.object ? 'updatesame' : 'update');
    }
    if (found?.object === known?.object) return;
    if (found?.object !== undefined) changes.push({ type: 'upsert', object: found.object });
    else changes.push(deletion(definition, name));
  };

  const deliver = (changes: readonly ObjectChange[]): void => {
    if (changes.length > 0) onChanges(changes);
  };

  const replace = (): Replacement => {
    const staged = new Map<string, Entry>();
    return {
      add: (objects) => {
        for (const raw of objects) staged.set(nameOf(raw), next(raw, entries.get(nameOf(raw))));
      },
      commit: () => {
        const changes: ObjectChange[] = [];
        for (const [name, known] of entries) if (!staged.has(name)) compare(name, known, undefined, changes);
        for (const [name, found] of staged) {
          const known = entries.get(name);
          if (found !== known) compare(name, known, found, changes);
        }
        entries = staged;
        deliver(changes);
        onReplaced();
      },
    };
  };

  return {
    replace,
    apply: (events) => {
      const changes: ObjectChange[] = [];
      for (const { type, object: raw } of events) {
        const name = nameOf(raw);
        const known = entries.get(name);
        const found = type === 'DELETED' ? undefined : next(raw, known);
        if (found === undefined) entries.delete(name);
        else entries.set(name, found);
        compare(name, known, found, changes);
      }
      deliver(changes);
    },
    isEmpty: () => entries.size === 0,
    all: function* () {
      for (const { object } of entries.values()) if (object !== undefined) yield object;
    },
  };
}

/** Equal except for the resource version, which also changes with fields that the mesh does not read. */
function isSame(known: MeshObject, found: MeshObject): boolean {
  const { resourceVersion: _known, ...knownMetadata } = known.metadata;
  const { resourceVersion: _found, ...foundMetadata } = found.metadata;
  return isDeepStrictEqual(knownMetadata, foundMetadata) && isDeepStrictEqual(known.body, found.body);
}

/** `namespace/name`; namespaces have no slash, and neither have names. */
function nameOf({ metadata: { namespace = '', name } }: RawObject): string {
  return `${namespace}/${name}`;
}

function splitName(name: string): [namespace: string, name: string] {
  const at = name.indexOf('/');
  return [name.slice(0, at), name.slice(at + 1)];
}

function deletion(definition: KindDefinition, qualified: string): ObjectChange {
  const [namespace, name] = splitName(qualified);
  return { type: 'delete', kind: modelKindOf(definition), namespace, name };
}
