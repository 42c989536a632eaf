import { isRecord } from '../../base/record.js';
import { type JsonMapping, type NamedItem, own, ownMappings, type PodSpec } from './pod.js';
import type { PodItems } from './previous-injection.js';

/** Image of a pod's own container in whose place the injected container of the same name comes. */
const PLACEHOLDER_IMAGE = 'auto';

/**
 * The template decides these fields. The pod's `imagePullPolicy` is the default that Kubernetes gives to the image
 * `auto`.
 */
const FIELDS_OF_TEMPLATE: ReadonlySet<string> = new Set(['name', 'image', 'imagePullPolicy']);

/** Lists whose items are joined, and the field by which items are equal. */
const JOINED_LISTS: Readonly<Record<string, string>> = {
  env: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
};

export interface FilledPlaceholders {
  /** The items to inject, with the fields of the placeholders. */
  readonly lists: PodItems;
  /** The pod's containers that injected ones replace. */
  readonly placeholders: readonly NamedItem[];
  /** The spec without these containers. */
  readonly others: PodSpec;
}

export function isPlaceholder(item: JsonMapping): item is NamedItem {
  return own(item, 'image') === PLACEHOLDER_IMAGE && typeof own(item, 'name') === 'string';
}

/**
 * Puts injected containers in the place of the pod's own containers of the same name with the image `auto`. A field that
 * such a container sets, such as `resources`, replaces that of the template; `env`, `ports` and `volumeMounts` are
 * joined.
 */
export function fillPlaceholders(lists: PodItems, spec: PodSpec): FilledPlaceholders {
  const ofPod = spec.containers ?? [];
  const placeholders = ofPod.filter(
    (each) => isPlaceholder(each) && lists.containers.some(({ name }) => name === each.name),
  );
  if (placeholders.length === 0) return { lists, placeholders, others: spec };
  const containers = lists.containers.map((container) => {
    const placeholder = placeholders.find(({ name }) => name === container.name);
    return placeholder === undefined ? container : filled(container, placeholder);
  });
  const others = { ...spec, containers: ofPod.filter((each) => !placeholders.includes(each)) };
  return { lists: { ...lists, containers }, placeholders, others };
}

function filled(container: NamedItem, placeholder: NamedItem): NamedItem {
  const fields = Object.entries(placeholder).filter(
    ([field, value]) => !FIELDS_OF_TEMPLATE.has(field) && !isEmpty(value),
  );
  const joined = Object.entries(JOINED_LISTS).flatMap(([list, key]) => {
    const theirs = ownMappings(placeholder, list);
    if (theirs.length === 0) return [];
    const keys = new Set(theirs.map((item) => own(item, key)));
    return [[list, [...ownMappings(container, list).filter((item) => !keys.has(own(item, key))), ...theirs]] as const];
  });
  return { ...container, ...Object.fromEntries(fields), ...Object.fromEntries(joined) };
}

/** Kubernetes gives containers an empty `resources` before it calls webhooks. */
function isEmpty(value: unknown): boolean {
  return value === null || (isRecord(value) && Object.keys(value).length === 0);
}
