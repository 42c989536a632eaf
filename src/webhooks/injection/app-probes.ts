import { isRecord } from '../../base/record.js';
import { type JsonMapping, type NamedItem, own, ownMappings, type PodSpec, PROBES, type ProbeField } from './pod.js';

export type ProbeProtocol = 'http' | 'tcp' | 'grpc';

/** A probe of the application, and the path on the status port that replaces it. */
export interface ApplicationProbe {
  readonly container: string;
  readonly field: ProbeField;
  readonly protocol: ProbeProtocol;
  /** Path on the status port: `/app-health/<container>/readyz`. */
  readonly route: string;
  readonly port: number;
  /** Path of an HTTP probe; otherwise empty. */
  readonly path: string;
  /** Whether an HTTP probe uses HTTPS. */
  readonly isTls: boolean;
  /** Service of a gRPC probe; empty for the whole server, and for other probes. */
  readonly service: string;
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
  /** The pod's probe. */
  readonly probe: JsonMapping;
  /** Its `httpGet`, `tcpSocket` or `grpc`. */
  readonly handler: JsonMapping;
}

/** The field of a probe for each protocol. */
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
/** Defaults of Kubernetes. */
const DEFAULT_TIMEOUT_SECONDS = 1;
const DEFAULT_PERIOD_SECONDS = 10;

/**
 * The probes to known ports of the pod, which the kubelet can send to the status port instead. Mutual TLS does not
 * apply to the status port.
 */
export function applicationProbes(spec: PodSpec): readonly ApplicationProbe[] {
  return (spec.containers ?? []).flatMap((container) =>
    PROBES.flatMap((field) => {
      const probe = own(container, field);
      return isRecord(probe) ? applicationProbe(container, field, probe) : [];
    }),
  );
}

/** The path on the status port that replaces a probe. */
export function probeRoute(container: string, field: ProbeField): string {
  return `/app-health/${container}/${ROUTE_ENDS[field]}`;
}

function applicationProbe(container: NamedItem, field: ProbeField, probe: JsonMapping): readonly ApplicationProbe[] {
  for (const [protocol, name] of Object.entries(PROBE_HANDLERS) as [ProbeProtocol, string][]) {
    const handler = own(probe, name);
    if (!isRecord(handler)) continue;
    const port = portNumber(container, own(handler, 'port'));
    // A probe with a host does not go to this pod.
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

/** The number of a port, which may be the name of a container port. */
function portNumber(container: NamedItem, port: unknown): number | undefined {
  if (typeof port === 'number') return isPort(port) ? port : undefined;
  const named = ownMappings(container, 'ports').find((each) => own(each, 'name') === port);
  const number = named === undefined ? undefined : own(named, 'containerPort');
  return typeof number === 'number' && isPort(number) ? number : undefined;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}
