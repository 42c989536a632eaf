import { isRecord } from '../../base/record.js';
import { type ApplicationProbe, applicationProbes, PROBE_HANDLERS, type ProbeProtocol } from './app-probes.js';
import { type JsonMapping, own, type PodSpec } from './pod.js';

/** A probe after the rewrite. */
export interface RewrittenProbe extends Pick<ApplicationProbe, 'container' | 'field'> {
  readonly probe: JsonMapping;
}

export interface RewrittenProbes {
  readonly probes: readonly RewrittenProbe[];
  /** The pod's own probes, by the path that replaces them, for the agent's variable. */
  readonly originals: Readonly<Record<string, JsonMapping>>;
}

/**
 * Directs probes to the status port: the kubelet has no certificate of the mesh, and a connection that the proxy
 * accepts does not prove that the application is healthy.
 */
export function rewriteProbes(spec: PodSpec, statusPort: number, protocols: readonly ProbeProtocol[]): RewrittenProbes {
  const all = statusPort === 0 ? [] : applicationProbes(spec).filter(({ protocol }) => protocols.includes(protocol));
  return {
    probes: all.map(({ container, field, protocol, probe, handler, route }) => {
      const present = protocol === 'http' ? handler : {};
      const httpGet = { ...present, path: route, port: statusPort, scheme: 'HTTP' };
      return { container, field, probe: { ...without(probe, PROBE_HANDLERS[protocol]), httpGet } };
    }),
    originals: Object.fromEntries(
      all.map(({ route, protocol, handler, timeoutSeconds }) => [
        route,
        { [PROBE_HANDLERS[protocol]]: handler, timeoutSeconds },
      ]),
    ),
  };
}

/** Restores a rewritten probe. @param original its entry in `originals` */
export function restoreProbe(probe: JsonMapping, original: unknown): JsonMapping | undefined {
  if (!isRecord(original)) return undefined;
  for (const name of Object.values(PROBE_HANDLERS)) {
    const handler = own(original, name);
    if (isRecord(handler)) return { ...without(probe, PROBE_HANDLERS.http), [name]: handler };
  }
  return undefined;
}

function without(mapping: JsonMapping, field: string): JsonMapping {
  return Object.fromEntries(Object.entries(mapping).filter(([name]) => name !== field));
}
