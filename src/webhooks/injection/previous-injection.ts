import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../base/record.js';
import type { InjectionNames } from './annotation-names.js';
import { probeRoute } from './app-probes.js';
import { variableOf } from './environment-variable.js';
import { METRICS_ANNOTATIONS, type ScrapeField } from './merge-metrics.js';
import { ITEM_LISTS, type ItemList, type NamedItem, own, type Pod, type PodSpec, PROBES } from './pod.js';
import { METRICS_VARIABLE, PROBES_VARIABLE, PROXY_CONTAINER } from './proxy-container.js';
import { restoreProbe } from './rewrite-probes.js';

/** Names of what an earlier injection added, by list. */
export type InjectedNames = { readonly [List in ItemList]: readonly string[] };

/** What there is to inject, by list. */
export type PodItems = { readonly [List in ItemList]: readonly NamedItem[] };

/** Of each list; templates bring no more. */
const MAX_INJECTED = 100;

/** What pods have that were injected before there was a status annotation (BEHAVIOUR 3, "Patch order"). */
const LEGACY: InjectedNames = {
  initContainers: ['mesh-init', 'enable-core-dump'],
  containers: ['mesh-proxy'],
  volumes: ['mesh-certs'],
  imagePullSecrets: [],
};

/** What the status annotation says was injected earlier. */
export function previouslyInjected(pod: Pod, names: InjectionNames): InjectedNames {
  const text = pod.annotations === undefined ? undefined : own(pod.annotations, names.status);
  const status = typeof text === 'string' ? parse(text) : undefined;
  if (!isRecord(status)) return LEGACY;
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

/** The status annotation: what was injected, so that it can be found again. */
export function statusOf(version: string, lists: PodItems): string {
  const names = (list: ItemList): readonly string[] => lists[list].map(({ name }) => name);
  return JSON.stringify({
    version,
    initContainers: names('initContainers'),
    containers: names('containers'),
    volumes: names('volumes'),
    imagePullSecrets: names('imagePullSecrets'),
  });
}

/** A pod as it was before an earlier injection, so that injecting it again begins from there. */
export function withoutInjected(pod: Pod, injected: InjectedNames): Pod {
  const proxy = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].find(
    ({ name }) => name === PROXY_CONTAINER,
  );
  const isInjected =
    proxy !== undefined && [...injected.containers, ...injected.initContainers].includes(PROXY_CONTAINER);
  const spec: Record<string, unknown> = { ...pod.spec };
  for (const list of ITEM_LISTS) {
    const items = pod.spec[list];
    if (items !== undefined && items !== null) spec[list] = items.filter(({ name }) => !injected[list].includes(name));
  }
  const bare: Pod = { ...pod, spec: spec as PodSpec };
  return isInjected
    ? { ...bare, annotations: ownAnnotations(bare, proxy), spec: withOwnProbes(bare.spec, proxy) }
    : bare;
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

function ownAnnotations({ annotations }: Pod, proxy: NamedItem): Pod['annotations'] {
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
