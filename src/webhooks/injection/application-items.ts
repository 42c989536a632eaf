import { isRecord } from '../../base/record.js';
import {
  CONTAINER_LISTS,
  type ContainerList,
  type JsonMapping,
  type NamedItem,
  own,
  ownMappings,
  type PodSpec,
} from './pod.js';

/** The lists of a container to which a template adds items, and the field that names an item. */
const KEYS = { env: 'name', volumeMounts: 'mountPath' } as const;
export type ApplicationList = keyof typeof KEYS;
export const APPLICATION_LISTS = Object.keys(KEYS) as readonly ApplicationList[];

/** The variables and mounts that a template adds to each of the pod's own containers. */
export type ApplicationItems = { readonly [List in ApplicationList]: readonly JsonMapping[] };

/** The names of the variables and the paths of the mounts that a container has got. */
type AddedKeys = { readonly [List in ApplicationList]: readonly string[] };

/** What the pod's own containers have got, by the name of the container. */
export type AddedToContainers = ReadonlyMap<string, AddedKeys>;

/** Maximum of each list, which is that of templates. */
const MAX_ADDED = 100;

export interface PreparedApplication {
  /** The pod's own containers with the items. Init containers too: some run as long as the application. */
  readonly containers: { readonly [List in ContainerList]: readonly NamedItem[] };
  readonly added: AddedToContainers;
  /** For the author of the pod. */
  readonly warnings: readonly string[];
}

/** Adds items to the pod's own containers. A variable or a mount of the container itself stays. */
export function prepareApplication(spec: PodSpec, items: ApplicationItems): PreparedApplication {
  const added = new Map<string, AddedKeys>();
  const warnings: string[] = [];
  const prepare = (container: NamedItem): NamedItem => {
    const missing = (list: ApplicationList): readonly JsonMapping[] => {
      const present = keysOf(container, list);
      return items[list].filter((item) => {
        const key = keyOf(item, list);
        if (present.has(key)) warnings.push(keptItem(container.name, list, key));
        return !present.has(key);
      });
    };
    const lists = APPLICATION_LISTS.map((list) => [list, missing(list)] as const).filter(([, more]) => more.length > 0);
    if (lists.length === 0) return container;
    const keys = lists.map(([list, more]) => [list, more.map((item) => keyOf(item, list))] as const);
    added.set(container.name, { env: [], volumeMounts: [], ...Object.fromEntries(keys) });
    const joined = lists.map(([list, more]) => [list, [...ownMappings(container, list), ...more]] as const);
    return { ...container, ...Object.fromEntries(joined) };
  };
  const containers = {
    initContainers: (spec.initContainers ?? []).map(prepare),
    containers: (spec.containers ?? []).map(prepare),
  };
  return { containers, added, warnings };
}

/** A container of the pod without the items that an earlier injection added. */
export function withoutAdded(container: NamedItem, added: AddedToContainers): NamedItem {
  const keys = added.get(container.name);
  if (keys === undefined) return container;
  const lists = APPLICATION_LISTS.filter((list) => keys[list].length > 0).map((list) => {
    const kept = ownMappings(container, list).filter((item) => !keys[list].includes(keyOf(item, list)));
    return [list, kept] as const;
  });
  return { ...container, ...Object.fromEntries(lists) };
}

/** Reads what the status annotation says of the containers of a pod. The counterpart of `writeAdded`. */
export function readAdded(value: unknown, spec: PodSpec): AddedToContainers {
  if (!isRecord(value)) return new Map();
  const texts = (keys: JsonMapping, list: ApplicationList): readonly string[] => {
    const found = own(keys, list);
    return Array.isArray(found) ? found.slice(0, MAX_ADDED).filter((each) => typeof each === 'string') : [];
  };
  const containers = CONTAINER_LISTS.flatMap((list) => spec[list] ?? []);
  return new Map(
    containers.flatMap(({ name }) => {
      const keys = own(value, name);
      return isRecord(keys)
        ? [[name, { env: texts(keys, 'env'), volumeMounts: texts(keys, 'volumeMounts') }] as const]
        : [];
    }),
  );
}

/** The content of the status annotation; undefined if no container has got anything. */
export function writeAdded(added: AddedToContainers): object | undefined {
  return added.size === 0 ? undefined : Object.fromEntries(added);
}

function keyOf(item: JsonMapping, list: ApplicationList): string {
  return String(own(item, KEYS[list]));
}

function keysOf(container: NamedItem, list: ApplicationList): ReadonlySet<string> {
  return new Set(ownMappings(container, list).map((item) => keyOf(item, list)));
}

function keptItem(container: string, list: ApplicationList, key: string): string {
  const what = list === 'env' ? `sets the variable ${key}` : `mounts a volume at ${key}`;
  return `container ${container} ${what} itself, which replaces what the injection template gives it`;
}
