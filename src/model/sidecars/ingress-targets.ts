import type { SidecarIngress } from '../../config/networking/sidecar.js';
import { createMemo } from '../memo.js';
import type { ServiceTarget } from '../proxy.js';
import { selectStatedProtocol } from '../select-protocol.js';
import { servedPorts } from '../served-ports.js';
import type { Service } from '../service.js';
import type { CaptureMode } from './sidecar-scope.js';
import type { SidecarRules } from './sidecars.js';

/** How a Sidecar serves a port of its workload. */
export interface Ingress {
  /** The address of a listener that binds its port; empty for the address of the proxy. */
  readonly bind: string;
  readonly captureMode: CaptureMode;
  /** Where the application listens: a host, empty for loopback, or `unix://` and a path. */
  readonly address: string;
  /** 0 for a unix socket. */
  readonly port: number;
}

/** A port that a sidecar serves, and the service that it is served for. */
export interface InboundTarget extends ServiceTarget {
  /** Absent where a service decides alone: then connections go on to the port itself. */
  readonly ingress?: Ingress;
}

/**
 * The ports that a sidecar serves: the ingress listeners of its Sidecar, or the targets of its services if it has none.
 * Equal inputs give the same array.
 */
export type IngressReader = (
  rules: SidecarRules | undefined,
  targets: readonly ServiceTarget[],
) => readonly InboundTarget[];

export function createIngressReader(): IngressReader {
  const results = createMemo<readonly InboundTarget[]>();
  return (rules, targets) => {
    if (rules === undefined || rules.spec.ingress.length === 0) return targets;
    return results.of([rules, targets], '', () => ingressTargets(rules, targets));
  };
}

/** Whether the proxy binds the port instead of taking redirected connections. */
export function isBound({ bind, captureMode }: Ingress, isRedirected: boolean): boolean {
  return !isRedirected || captureMode === 'NONE' || bind !== '';
}

function ingressTargets(rules: SidecarRules, targets: readonly ServiceTarget[]): readonly InboundTarget[] {
  const { served } = servedPorts(targets);
  return rules.spec.ingress.map((listener): InboundTarget => {
    const { number, name, protocol } = listener.port;
    const service = served.get(number)?.service ?? serviceOf(rules);
    const port = { number, name, protocol: selectStatedProtocol(number, protocol) };
    return { service, port, targetPort: number, ingress: readIngress(listener) };
  });
}

function readIngress({ bind, captureMode, defaultEndpoint }: SidecarIngress): Ingress {
  if (defaultEndpoint.startsWith('unix:')) return { bind, captureMode, address: defaultEndpoint, port: 0 };
  const colon = defaultEndpoint.lastIndexOf(':');
  const port = Number(defaultEndpoint.slice(colon + 1));
  return { bind, captureMode, address: defaultEndpoint.slice(0, colon), port };
}

/** Stands for the service of a port that no service targets: `<Sidecar>.<namespace>`. */
function serviceOf({ source, name, namespace }: SidecarRules): Service {
  return {
    hostname: `${name}.${namespace}`,
    name,
    namespace,
    registry: 'External',
    addresses: [],
    ports: [],
    resolution: 'endpoints',
    headless: false,
    meshExternal: false,
    exportTo: ['.'],
    labels: {},
    subjectAltNames: [],
    creationTimestamp: '',
    source,
  };
}
