import { type ApplicationProbe, applicationProbes } from './app-probes.js';
import type { JsonMapping, PodSpec } from './pod.js';

/** A probe as it is to be. */
export interface RewrittenProbe extends Pick<ApplicationProbe, 'container' | 'field'> {
  readonly probe: JsonMapping;
}

export interface RewrittenProbes {
  readonly probes: readonly RewrittenProbe[];
  /** The pod's own, by the path that stands for them: what the agent's variable says. */
  readonly originals: Readonly<Record<string, JsonMapping>>;
}

/** Sends HTTP probes to the status port (BEHAVIOUR 3, "Patch order"): the kubelet has no certificate of the mesh. */
export function rewriteProbes(spec: PodSpec, statusPort: number): RewrittenProbes {
  const all = statusPort === 0 ? [] : applicationProbes(spec);
  return {
    probes: all.map(({ container, field, probe, httpGet, route }) => ({
      container,
      field,
      probe: { ...probe, httpGet: { ...httpGet, path: route, port: statusPort, scheme: 'HTTP' } },
    })),
    originals: Object.fromEntries(
      all.map(({ route, httpGet, timeoutSeconds }) => [route, { httpGet, timeoutSeconds }]),
    ),
  };
}
