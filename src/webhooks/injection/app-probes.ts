import {
  isMapping,
  type JsonMapping,
  type NamedItem,
  own,
  ownMappings,
  type PodSpec,
  PROBES,
  type ProbeField,
} from './pod.js';

/** An HTTP probe of the application's, and the path on the status port that stands for it. */
export interface ApplicationProbe {
  readonly container: string;
  readonly field: ProbeField;
  /** `/app-health/<container>/readyz` (BEHAVIOUR 3, "Patch order"). */
  readonly route: string;
  readonly port: number;
  readonly path: string;
  readonly isTls: boolean;
  readonly timeoutSeconds: number;
  /** As the pod has it. */
  readonly probe: JsonMapping;
  readonly httpGet: JsonMapping;
}

const ROUTE_ENDS: Readonly<Record<ProbeField, string>> = {
  readinessProbe: 'readyz',
  livenessProbe: 'livez',
  startupProbe: 'startupz',
};
/** Of a probe that does not say (Kubernetes). */
const DEFAULT_TIMEOUT_SECONDS = 1;

/**
 * Probes that the kubelet could make by way of the status port, where mutual TLS does not keep it out: those over HTTP
 * to a port of the pod's own that is known.
 */
export function applicationProbes(spec: PodSpec): readonly ApplicationProbe[] {
  return (spec.containers ?? []).flatMap((container) =>
    PROBES.flatMap((field) => {
      const probe = applicationProbe(container, field);
      return probe === undefined ? [] : [probe];
    }),
  );
}

/** The path that stands for a probe. */
export function probeRoute(container: string, field: ProbeField): string {
  return `/app-health/${container}/${ROUTE_ENDS[field]}`;
}

function applicationProbe(container: NamedItem, field: ProbeField): ApplicationProbe | undefined {
  const probe = own(container, field);
  const httpGet = isMapping(probe) ? own(probe, 'httpGet') : undefined;
  if (!isMapping(probe) || !isMapping(httpGet)) return undefined;
  // It asks somebody else.
  if (typeof own(httpGet, 'host') === 'string' && own(httpGet, 'host') !== '') return undefined;
  const port = portNumber(container, own(httpGet, 'port'));
  const path = own(httpGet, 'path') ?? '/';
  if (port === undefined || typeof path !== 'string') return undefined;
  const timeout = own(probe, 'timeoutSeconds');
  return {
    container: container.name,
    field,
    route: probeRoute(container.name, field),
    port,
    path: path.startsWith('/') ? path : `/${path}`,
    isTls: String(own(httpGet, 'scheme') ?? '').toUpperCase() === 'HTTPS',
    timeoutSeconds: typeof timeout === 'number' && timeout >= 1 ? timeout : DEFAULT_TIMEOUT_SECONDS,
    probe,
    httpGet,
  };
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
