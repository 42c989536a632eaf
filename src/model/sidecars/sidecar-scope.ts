import type { SidecarEgress, SidecarSpec } from '../../config/networking/sidecar.js';
import { createMemo } from '../memo.js';
import { selectStatedProtocol } from '../select-protocol.js';
import type { Port } from '../service.js';
import { type HostImports, parseHostImports } from './host-imports.js';
import type { SidecarRules } from './sidecars.js';

/** What a Sidecar lets the workloads of one namespace see. */
export interface SidecarScope {
  /** The hosts of all listeners, and the host of the egress proxy. */
  readonly imports: HostImports;
  /** In order. A single listener with neither port nor bind nor capture mode is an ordinary view: then it is empty. */
  readonly listeners: readonly EgressRules[];
  /** Names `listeners`; empty if they are. */
  readonly listenersKey: string;
  /** Undefined: the policy of the mesh config. */
  readonly outboundTrafficPolicy: SidecarSpec['outboundTrafficPolicy'];
}

/** How the listeners of a Sidecar get their connections; DEFAULT as the other listeners of the proxy. */
export type CaptureMode = SidecarEgress['captureMode'];

/** Where a sidecar listens for the application. */
export interface EgressPlace {
  /** Number 0 for a unix socket; undefined: at the ports of the services. */
  readonly port: Port | undefined;
  /** An IP address or `unix://` and a path; empty: at the addresses of the services, or on loopback. */
  readonly bind: string;
  readonly captureMode: CaptureMode;
}

interface EgressRules extends EgressPlace {
  readonly imports: HostImports;
}

/** Reads the scope of a Sidecar for workloads of a namespace; each once for as long as the object lives. */
export type SidecarScopeReader = (rules: SidecarRules, namespace: string) => SidecarScope;

export function createSidecarScopeReader(): SidecarScopeReader {
  const scopes = createMemo<SidecarScope>();
  return (rules, namespace) => scopes.of([rules], namespace, () => readScope(rules, namespace));
}

function readScope({ spec, egressKey }: SidecarRules, namespace: string): SidecarScope {
  const { egress, outboundTrafficPolicy } = spec;
  const proxyHost = outboundTrafficPolicy?.egressProxy?.host;
  const hosts = egress.flatMap((listener) => listener.hosts);
  const [first] = egress;
  const isOrdinary = egress.length === 1 && first !== undefined && isWholeView(first);
  return {
    imports: parseHostImports(proxyHost === undefined ? hosts : [...hosts, `*/${proxyHost}`], namespace),
    listeners: isOrdinary ? [] : egress.map((listener) => readListener(listener, namespace)),
    listenersKey: isOrdinary ? '' : `${egressKey}/${namespace}`,
    outboundTrafficPolicy,
  };
}

function isWholeView({ port, bind, captureMode }: SidecarEgress): boolean {
  return port === undefined && bind === '' && captureMode === 'DEFAULT';
}

function readListener({ port, bind, captureMode, hosts }: SidecarEgress, namespace: string): EgressRules {
  const imports = parseHostImports(hosts, namespace);
  if (port === undefined) return { port, bind, captureMode, imports };
  const { name, number, protocol } = port;
  return { port: { name, number, protocol: selectStatedProtocol(number, protocol) }, bind, captureMode, imports };
}
