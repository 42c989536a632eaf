import type { FilterImplOptions } from 'liquidjs';
import { isRecord } from '../../../base/record.js';
import { applicationProbes } from '../app-probes.js';
import { own, ownMappings, type PodSpec } from '../pod.js';
import { PROXY_CONTAINER } from '../proxy-container.js';
import { textOf } from './text-filters.js';

/** What a template asks of a pod (BEHAVIOUR 3, "Helpers"). */
export const podFilters: Readonly<Record<string, FilterImplOptions>> = {
  /** Whether a mapping has a field: `{{ ObjectMeta.annotations | isset: 'name' }}` */
  isset: (mapping: unknown, field: unknown): boolean => isRecord(mapping) && Object.hasOwn(mapping, textOf(field)),

  /** An annotation, or else what is given: `{{ ObjectMeta | annotation: 'name', '*' }}` */
  annotation(meta: unknown, name: unknown, otherwise: unknown): unknown {
    const annotations = isRecord(meta) ? own(meta, 'annotations') : undefined;
    const value = isRecord(annotations) ? own(annotations, textOf(name)) : undefined;
    return value ?? otherwise ?? '';
  },

  /** What is given in the place of what is empty: nothing, '', false, 0, an empty list or mapping. */
  valueOrDefault: (value: unknown, otherwise: unknown): unknown => (isEmpty(value) ? otherwise : value),

  /** A list of ports with one more: `{{ 15020 | excludeInboundPort: '22,80' }}`. Port 0 adds nothing. */
  excludeInboundPort(port: unknown, excluded: unknown): string {
    const ports = textOf(excluded)
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
    const more = textOf(port).trim();
    return (more === '' || more === '0' || ports.includes(more) ? ports : [...ports, more]).join(',');
  },

  /** TCP ports of containers, with commas: `{{ Spec.containers | includeInboundPorts }}` */
  includeInboundPorts: (containers: unknown): string => portsOf(containers, () => true),

  /** The same without the proxy's own. */
  applicationPorts: (containers: unknown): string => portsOf(containers, (name) => name !== PROXY_CONTAINER),

  /** Names of network interfaces as they are written. */
  kubevirtInterfaces: (value: unknown): string => textOf(value),

  /**
   * The probes that can be made by way of the status port: `protocol` (http, tcp, grpc), `route`, `port`, `path`, `isTls`,
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
