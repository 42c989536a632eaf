import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../base/record.js';
import type { InjectionNames } from './annotation-names.js';
import { probeRoute } from './app-probes.js';
import { type AddedToContainers, readAdded, withoutAdded, writeAdded } from './application-items.js';
import { variableOf } from './environment-variable.js';
import { METRICS_ANNOTATIONS, type ScrapeField } from './merge-metrics.js';
import { isPlaceholder } from './placeholders.js';
import {
  CONTAINER_LISTS,
  type ContainerList,
  ITEM_LISTS,
  type ItemList,
  type JsonMapping,
  type NamedItem,
  own,
  ownMappings,
  type PodSpec,
  PROBES,
  type ReviewedPod,
} from './pod.js';
import { METRICS_VARIABLE, PROBES_VARIABLE, PROXY_CONTAINER } from './proxy-container.js';
import { restoreProbe } from './rewrite-probes.js';

/** Names of the items that an earlier injection added, by list. */
export type InjectedNames = { readonly [List in ItemList]: readonly string[] };

/** The items to inject, by list. */
export type PodItems = { readonly [List in ItemList]: readonly NamedItem[] };

/** Maximum of each list, which is that of templates. */
const MAX_INJECTED = 100;

/** The injected items of pods without a status annotation, from old versions. */
const LEGACY: InjectedNames = {
  initContainers: ['mesh-init', 'enable-core-dump'],
  containers: ['mesh-proxy'],
  volumes: ['mesh-certs'],
  imagePullSecrets: [],
};

/** What an earlier injection changed. */
export interface PreviousInjection {
  readonly injected: InjectedNames;
  /** The pod's own containers that injected ones replaced. */
  readonly placeholders: readonly NamedItem[];
  readonly added: AddedToContainers;
}

/** The earlier injection according to the status annotation. */
export function previousInjection(pod: ReviewedPod, names: InjectionNames): PreviousInjection {
  const text = pod.annotations === undefined ? undefined : own(pod.annotations, names.status);
  const status = typeof text === 'string' ? parse(text) : undefined;
  if (!isRecord(status)) return { injected: LEGACY, placeholders: [], added: new Map() };
  return {
    injected: injectedOf(status),
    placeholders: ownMappings(status, 'placeholders').slice(0, MAX_INJECTED).filter(isPlaceholder),
    added: readAdded(own(status, 'application'), pod.spec),
  };
}

function injectedOf(status: JsonMapping): InjectedNames {
  const list = (name: ItemList): readonly string[] => {
    const value = own(status, name);
    return Array.isArray(value) ? value.slice(0, MAX_INJECTED).filter((each) => typeof each === 'string') : [];
  };
  return {
    initContainers: list('initContainers'),
    containers: list('containers'),
    volumes: list('volumes'),
    imagePullSecrets: list('imagePullSecrets'),
  };
}

/**
 * The status annotation, for a later injection: the injected items, the containers that they replaced, and what the
 * pod's own containers have got.
 */
export function statusOf(
  version: string,
  lists: PodItems,
  { placeholders, added }: Pick<PreviousInjection, 'placeholders' | 'added'>,
): string {
  const names = (list: ItemList): readonly string[] => lists[list].map(({ name }) => name);
  return JSON.stringify({
    version,
    initContainers: names('initContainers'),
    containers: names('containers'),
    volumes: names('volumes'),
    imagePullSecrets: names('imagePullSecrets'),
    ...(placeholders.length === 0 ? {} : { placeholders }),
    application: writeAdded(added),
  });
}

/** The pod as it was before an earlier injection, which is the start of the next one. */
export function withoutInjected(pod: ReviewedPod, { injected, placeholders, added }: PreviousInjection): ReviewedPod {
  const proxy = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].find(
    ({ name }) => name === PROXY_CONTAINER,
  );
  const isInjected =
    proxy !== undefined && [...injected.containers, ...injected.initContainers].includes(PROXY_CONTAINER);
  const spec: Record<string, unknown> = { ...pod.spec };
  for (const list of ITEM_LISTS) {
    const items = pod.spec[list];
    if (items === undefined || items === null) continue;
    const kept = items
      .filter((item) => !injected[list].includes(item.name) || isPlaceholder(item))
      .map((item) => (isContainerList(list) ? withoutAdded(item, added) : item));
    const isKept = ({ name }: NamedItem): boolean => kept.some((item) => item.name === name);
    spec[list] = list === 'containers' ? [...kept, ...placeholders.filter((item) => !isKept(item))] : kept;
  }
  const bare: ReviewedPod = { ...pod, spec: spec as PodSpec };
  return isInjected
    ? { ...bare, annotations: ownAnnotations(bare, proxy), spec: withOwnProbes(bare.spec, proxy) }
    : bare;
}

function isContainerList(list: ItemList): list is ContainerList {
  return CONTAINER_LISTS.some((each) => each === list);
}

function withOwnProbes(spec: PodSpec, proxy: NamedItem): PodSpec {
  const probes = parse(variableOf(proxy, PROBES_VARIABLE) ?? '');
  if (!isRecord(probes) || spec.containers === undefined) return spec;
  const containers = spec.containers.map((container) => {
    const restored = PROBES.flatMap((field) => {
      const probe = own(container, field);
      const restoredProbe = isRecord(probe)
        ? restoreProbe(probe, own(probes, probeRoute(container.name, field)))
        : undefined;
      return restoredProbe === undefined ? [] : [[field, restoredProbe] as const];
    });
    return { ...container, ...Object.fromEntries(restored) };
  });
  return isDeepStrictEqual(containers, spec.containers) ? spec : { ...spec, containers };
}

function ownAnnotations({ annotations }: ReviewedPod, proxy: NamedItem): ReviewedPod['annotations'] {
  const earlier = parse(variableOf(proxy, METRICS_VARIABLE) ?? '');
  if (!isRecord(earlier) || annotations === undefined) return annotations;
  const scrape = Object.entries(METRICS_ANNOTATIONS) as [ScrapeField, string][];
  const kept = Object.entries(annotations).filter(([key]) => !scrape.some(([, name]) => name === key));
  const restored = scrape.flatMap(([field, name]) => {
    const value = own(earlier, field);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries([...kept, ...restored]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
