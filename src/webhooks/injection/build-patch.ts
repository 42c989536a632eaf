import { isDeepStrictEqual } from 'node:util';
import type { PatchOperation } from '../admission/admission-answer.js';
import { APPLICATION_LISTS, type PreparedApplication } from './application-items.js';
import {
  CONTAINER_LISTS,
  ITEM_LISTS,
  type ItemList,
  type JsonMapping,
  type NamedItem,
  own,
  type PodSpec,
  PROBES,
  type ReviewedPod,
} from './pod.js';
import type { InjectedNames, PodItems } from './previous-injection.js';
import { PROXY_CONTAINER, PROXY_UID, VALIDATION_CONTAINER } from './proxy-container.js';
import type { RewrittenProbe } from './rewrite-probes.js';

/** The changes of a pod. */
export interface PodChanges {
  /** Names of items that an earlier injection added, which the patch removes first. */
  readonly injected: InjectedNames;
  readonly lists: PodItems;
  /** The pod's own containers with what the template gives them. */
  readonly application: PreparedApplication;
  readonly dnsConfig: JsonMapping | undefined;
  /** Whether the proxy's sockets are shared with the pod's other containers by their group. */
  readonly sharesSockets: boolean;
  /** Whether the application's containers wait for the proxy. */
  readonly holdsApplication: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The pod's own containers with their original probes. */
  readonly containers: readonly NamedItem[];
  readonly probes: readonly RewrittenProbe[];
}

/** The patch of a pod. The order of its operations is fixed (docs/reference/webhooks.md#patch-order). */
export function buildPatch(pod: ReviewedPod, changes: PodChanges): readonly PatchOperation[] {
  const { spec } = pod;
  const { lists, injected } = changes;
  const isFirst = placement(changes);
  return [
    ...removeItems(spec, injected),
    ...addItems(spec, 'initContainers', lists.initContainers, isFirst),
    ...addItems(spec, 'containers', lists.containers, isFirst),
    ...addItems(spec, 'volumes', lists.volumes, () => false),
    ...addItems(spec, 'imagePullSecrets', lists.imagePullSecrets, () => false),
    ...setDnsConfig(spec, changes.dnsConfig),
    ...(changes.sharesSockets ? setGroup(spec) : []),
    ...setTexts('/metadata/annotations', pod.annotations, changes.annotations),
    ...setTexts('/metadata/labels', pod.labels, changes.labels),
    ...setApplicationItems(pod, changes, isFirst),
    ...setProbes(pod, changes, lists.containers.filter(isFirst).length),
  ];
}

/**
 * Selects the items that go before the pod's own containers. Kubernetes starts a native sidecar before the application,
 * and items of the template before it, such as the init container that captures traffic, must stay before it. So must
 * init containers that make what the pod's own containers get.
 */
function placement({ lists, application, holdsApplication }: PodChanges): (item: NamedItem) => boolean {
  const initFirst = application.added.size > 0 || lists.initContainers.some(isNativeSidecar);
  return (item) =>
    item.name === VALIDATION_CONTAINER ||
    (holdsApplication && item.name === PROXY_CONTAINER) ||
    (initFirst && lists.initContainers.includes(item));
}

/** An init container that runs as long as the application (Kubernetes 1.29). */
function isNativeSidecar(container: NamedItem): boolean {
  return own(container, 'restartPolicy') === 'Always';
}

function setDnsConfig(spec: PodSpec, value: JsonMapping | undefined): readonly PatchOperation[] {
  if (value === undefined) return [];
  const present = own(spec, 'dnsConfig') ?? undefined;
  if (isDeepStrictEqual(present, value)) return [];
  return [{ op: present === undefined ? 'add' : 'replace', path: '/spec/dnsConfig', value }];
}

function setGroup(spec: PodSpec): readonly PatchOperation[] {
  const present = own(spec, 'securityContext') ?? undefined;
  if (typeof present !== 'object' || present === null) {
    return [{ op: 'add', path: '/spec/securityContext', value: { fsGroup: PROXY_UID } }];
  }
  const group = own(present as JsonMapping, 'fsGroup');
  if (group === PROXY_UID) return [];
  return [{ op: group === undefined ? 'add' : 'replace', path: '/spec/securityContext/fsGroup', value: PROXY_UID }];
}

/** Lists of the pod's own containers that the template extends, or that an earlier injection extended. */
function setApplicationItems(
  { spec }: ReviewedPod,
  { injected, lists, application }: PodChanges,
  isFirst: (item: NamedItem) => boolean,
): readonly PatchOperation[] {
  return CONTAINER_LISTS.flatMap((list) => {
    const firsts = lists[list].filter(isFirst).length;
    const kept = (spec[list] ?? []).filter(({ name }) => !injected[list].includes(name));
    return kept.flatMap((present, index) => {
      const wanted = application.containers[list].find(({ name }) => name === present.name) ?? present;
      return APPLICATION_LISTS.flatMap((field): readonly PatchOperation[] => {
        const value = own(wanted, field);
        const before = own(present, field) ?? undefined;
        if (value === undefined || isDeepStrictEqual(value, before)) return [];
        return [
          { op: before === undefined ? 'add' : 'replace', path: `/spec/${list}/${firsts + index}/${field}`, value },
        ];
      });
    });
  });
}

/** Probes whose fields the patch changes, also after an earlier injection. */
function setProbes(
  { spec }: ReviewedPod,
  { injected, containers, probes }: PodChanges,
  firsts: number,
): readonly PatchOperation[] {
  const kept = (spec.containers ?? []).filter(({ name }) => !injected.containers.includes(name));
  return kept.flatMap((present, index) => {
    const original = containers.find(({ name }) => name === present.name) ?? present;
    return PROBES.flatMap((field): readonly PatchOperation[] => {
      const rewritten = probes.find((probe) => probe.container === present.name && probe.field === field);
      const value = rewritten?.probe ?? own(original, field);
      if (value === undefined || isDeepStrictEqual(value, own(present, field))) return [];
      return [{ op: 'replace', path: `/spec/containers/${firsts + index}/${field}`, value }];
    });
  });
}

/** Removes the items of an earlier injection, the last one first, so that the indices of the others stay valid. */
function removeItems(spec: PodSpec, injected: InjectedNames): readonly PatchOperation[] {
  return ITEM_LISTS.flatMap((list) =>
    [...(spec[list] ?? []).entries()]
      .filter(([, { name }]) => injected[list].includes(name))
      .map(([index]): PatchOperation => ({ op: 'remove', path: `/spec/${list}/${index}` }))
      .reverse(),
  );
}

/**
 * Adds items at the end of a list, or at its beginning in the order of the template. The first item of a new list
 * creates it.
 */
function addItems(
  spec: PodSpec,
  list: ItemList,
  items: readonly NamedItem[],
  isFirst: (item: NamedItem) => boolean,
): readonly PatchOperation[] {
  const path = `/spec/${list}`;
  let exists = Array.isArray(spec[list]);
  let firsts = 0;
  return items.map((item): PatchOperation => {
    const place = isFirst(item) ? String(firsts++) : '-';
    if (exists) return { op: 'add', path: `${path}/${place}`, value: item };
    exists = true;
    return { op: 'add', path, value: [item] };
  });
}

/**
 * Sets entries of `metadata.annotations` or `metadata.labels`, sorted by key, without those that need no change. The
 * first entry of a new mapping creates it.
 */
function setTexts(
  path: string,
  present: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): readonly PatchOperation[] {
  let exists = present !== undefined;
  const has = (key: string): boolean => present !== undefined && Object.hasOwn(present, key);
  return Object.keys(wanted)
    .sort()
    .filter((key) => !has(key) || present?.[key] !== wanted[key])
    .map((key): PatchOperation => {
      const value = wanted[key];
      if (!exists) {
        exists = true;
        return { op: 'add', path, value: { [key]: value } };
      }
      return { op: has(key) ? 'replace' : 'add', path: `${path}/${pointerStep(key)}`, value };
    });
}

/** One step of a JSON pointer (RFC 6901). */
function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
