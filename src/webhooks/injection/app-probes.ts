import { isRecord } from '../../base/record.js';
import { type JsonMapping, type NamedItem, own, ownMappings, type PodSpec, PROBES, type ProbeField } from './pod.js';

export type ProbeProtocol = 'http' | 'tcp' | 'grpc';

/** A probe of the application's, and the path on the status port that stands for it. */
export interface ApplicationProbe {
  readonly container: string;
  readonly field: ProbeField;
  readonly protocol: ProbeProtocol;
  /** `/app-health/<container>/readyz` (BEHAVIOUR 3, "Patch order"). */
  readonly route: string;
  readonly port: number;
  /** Of HTTP; else empty. */
  readonly path: string;
  /** HTTPS. */
  readonly isTls: boolean;
  /** Of gRPC; else empty, which is the server as a whole. */
  readonly service: string;
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
  /** As the pod has it. */
  readonly probe: JsonMapping;
  /** What of it says how it is made: `httpGet`, `tcpSocket` or `grpc`. */
  readonly handler: JsonMapping;
}

/** The field of a probe that says how it is made. */
export const PROBE_HANDLERS: Readonly<Record<ProbeProtocol, string>> = {
  http: 'httpGet',
  tcp: 'tcpSocket',
  grpc: 'grpc',
};
const ROUTE_ENDS: Readonly<Record<ProbeField, string>> = {
  readinessProbe: 'readyz',
  livenessProbe: 'livez',
  startupProbe: 'startupz',
};
/** Of a probe that does not say (Kubernetes). */
const DEFAULT_TIMEOUT_SECONDS = 1;
const DEFAULT_PERIOD_SECONDS = 10;

/**
 * Probes that the kubelet could make by way of the status port, where mutual TLS does not keep it out: those to a port of
 * the pod's own that is known.
 */
export function applicationProbes(spec: PodSpec): readonly ApplicationProbe[] {
  return (spec.containers ?? []).flatMap((container) =>
    PROBES.flatMap((field) => {
      const probe = own(container, field);
      return isRecord(probe) ? applicationProbe(container, field, probe) : [];
    }),
  );
}

/** The path that stands for a probe. */
export function probeRoute(container: string, field: ProbeField): string {
  return `/app-health/${container}/${ROUTE_ENDS[field]}`;
}

function applicationProbe(container: NamedItem, field: ProbeField, probe: JsonMapping): readonly ApplicationProbe[] {
  for (const [protocol, name] of Object.entries(PROBE_HANDLERS) as [ProbeProtocol, string][]) {
    const handler = own(probe, name);
    if (!isRecord(handler)) continue;
    const port = portNumber(container, own(handler, 'port'));
    // With a host it asks somebody else.
    if (port === undefined || textIn(handler, 'host') !== '') return [];
    const path = textIn(handler, 'path');
    return [
      {
        ...{ container: container.name, field, protocol, port, probe, handler },
        route: probeRoute(container.name, field),
        path: protocol !== 'http' || path.startsWith('/') ? path : `/${path}`,
        isTls: textIn(handler, 'scheme').toUpperCase() === 'HTTPS',
        service: textIn(handler, 'service'),
        timeoutSeconds: secondsIn(probe, 'timeoutSeconds') ?? DEFAULT_TIMEOUT_SECONDS,
        periodSeconds: secondsIn(probe, 'periodSeconds') ?? DEFAULT_PERIOD_SECONDS,
      },
    ];
  }
  return [];
}

function textIn(mapping: JsonMapping, field: string): string {
  const value = own(mapping, field);
  return typeof value === 'string' ? value : '';
}

function secondsIn(probe: JsonMapping, field: string): number | undefined {
  const value = own(probe, field);
  return typeof value === 'number' && value >= 1 ? value : undefined;
}

/** Ports may be named, as the container names them. */
function portNumber(container: NamedItem, port: unknown): number | undefined {
  if (typeof port === 'number') return isPort(port) ? port : undefined;
  const named = ownMappings(container, 'ports').find((each) => own(each, 'name') === port);
  const number = named === undefined ? undefined : own(named, 'containerPort');
  return typeof number === 'number' && isPort(number) ? number : undefined;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}
