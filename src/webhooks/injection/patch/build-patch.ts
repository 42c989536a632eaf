import { isDeepStrictEqual } from 'node:util';
import type { PatchOperation } from '../../admission/admission-answer.js';
import { type JsonMapping, type NamedItem, own, type Pod, type PodSpec, PROBES } from '../pod.js';
import type { InjectedNames, PodItems } from '../previous-injection.js';
import { PROXY_CONTAINER, PROXY_UID, VALIDATION_CONTAINER } from '../proxy-container.js';
import type { RewrittenProbe } from '../rewrite-probes.js';
import { addItems, removeItems } from './item-operations.js';
import { setTexts } from './text-operations.js';

/** What a pod is to get. */
export interface PodChanges {
  /** What an earlier injection added, and this one takes out first. */
  readonly injected: InjectedNames;
  readonly lists: PodItems;
  readonly dnsConfig: JsonMapping | undefined;
  /** Whether the proxy's sockets are shared with the pod's other containers by their group. */
  readonly sharesSockets: boolean;
  /** The application's containers wait for the proxy. */
  readonly holdsApplication: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The containers that stay, with the probes that they are to have. */
  readonly containers: readonly NamedItem[];
  readonly probes: readonly RewrittenProbe[];
}

/** The patch of a pod, in the order of BEHAVIOUR 3, "Patch order". */
export function buildPatch(pod: Pod, changes: PodChanges): readonly PatchOperation[] {
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
    ...setProbes(pod, changes, lists.containers.filter(isFirst).length),
  ];
}

/**
 * What goes before the pod's own containers. A proxy that is a native sidecar is held by nature, and what the template
 * has before it, such as the init container that captures traffic, has to stay before it.
 */
function placement({ lists, holdsApplication }: PodChanges): (item: NamedItem) => boolean {
  const isNative = lists.initContainers.some(({ name }) => name === PROXY_CONTAINER);
  return (item) =>
    item.name === VALIDATION_CONTAINER ||
    (holdsApplication && item.name === PROXY_CONTAINER) ||
    (isNative && lists.initContainers.includes(item));
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

/** Probes that are to be other than they are, which is so too when an earlier injection changed them. */
function setProbes(
  { spec }: Pod,
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
