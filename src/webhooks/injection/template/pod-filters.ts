import type { FilterImplOptions } from 'liquidjs';
import { isRecord } from '../../../base/record.js';
import { applicationProbes } from '../app-probes.js';
import { own, ownMappings, type PodSpec } from '../pod.js';
import { PROXY_CONTAINER } from '../proxy-container.js';
import { toText } from './text-filters.js';

/** Filters for pods (docs/reference/webhooks.md#template-filters). */
export const podFilters: Readonly<Record<string, FilterImplOptions>> = {
  /** Whether a mapping has a field: `{{ ObjectMeta.annotations | isset: 'name' }}` */
  isset: (mapping: unknown, field: unknown): boolean => isRecord(mapping) && Object.hasOwn(mapping, toText(field)),

  /** An annotation, or a default: `{{ ObjectMeta | annotation: 'name', '*' }}` */
  annotation(meta: unknown, name: unknown, otherwise: unknown): unknown {
    const annotations = isRecord(meta) ? own(meta, 'annotations') : undefined;
    const value = isRecord(annotations) ? own(annotations, toText(name)) : undefined;
    return value ?? otherwise ?? '';
  },

  /** Replaces an empty value by a default. Empty are null, '', false, 0, an empty list and an empty mapping. */
  valueOrDefault: (value: unknown, otherwise: unknown): unknown => (isEmpty(value) ? otherwise : value),

  /** Adds a port to a list: `{{ 15020 | excludeInboundPort: '22,80' }}`. Port 0 adds nothing. */
  excludeInboundPort(port: unknown, excluded: unknown): string {
    const ports = toText(excluded)
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
    const more = toText(port).trim();
    return (more === '' || more === '0' || ports.includes(more) ? ports : [...ports, more]).join(',');
  },

  /** TCP ports of containers, separated by commas: `{{ Spec.containers | includeInboundPorts }}` */
  includeInboundPorts: (containers: unknown): string => portsOf(containers, () => true),

  /** TCP ports of the containers except the proxy. */
  applicationPorts: (containers: unknown): string => portsOf(containers, (name) => name !== PROXY_CONTAINER),

  /** Returns the names of network interfaces unchanged. */
  kubevirtInterfaces: (value: unknown): string => toText(value),

  /**
   * The probes that can go to the status port: `protocol` (http, tcp, grpc), `route`, `port`, `path`, `isTls`,
   * `service`, `timeoutSeconds`, `periodSeconds` of each. `{{ Spec | applicationProbes }}`
   */
  applicationProbes: (spec: unknown): unknown =>
    isRecord(spec)
      ? applicationProbes(spec as PodSpec).map(({ container, field, probe, handler, ...facts }) => facts)
      : [],
};

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false || value === 0;
}

function portsOf(containers: unknown, wanted: (name: unknown) => boolean): string {
  const all = ownMappings({ containers }, 'containers')
    .filter((container) => wanted(own(container, 'name')))
    .flatMap((container) => ownMappings(container, 'ports'))
    .filter((port) => (own(port, 'protocol') ?? 'TCP') === 'TCP')
    .map((port) => own(port, 'containerPort'))
    .filter((port) => typeof port === 'number');
  return [...new Set(all)].join(',');
}
