import { objectKey } from '../../config/object.js';
import type { Proxy } from '../proxy.js';
import type { PushContext } from '../push-context.js';

/** Which connections a port takes: plaintext alone, both, or mutual TLS of the mesh alone. */
export type MutualTlsMode = 'DISABLE' | 'PERMISSIVE' | 'STRICT';

/** Which connections the ports of one workload take. */
export interface WorkloadMutualTls {
  /** Of every port that `ports` does not name, whether a service claims it or not. */
  readonly mode: MutualTlsMode;
  /** Ports with another mode, by the number that the workload listens on. */
  readonly ports: ReadonlyMap<number, MutualTlsMode>;
  /** Names all of it: equal ones have equal keys. */
  readonly key: string;
}

export function modeOfPort({ mode, ports }: WorkloadMutualTls, port: number): MutualTlsMode {
  return ports.get(port) ?? mode;
}

/** @param ports in any order; those that say the same as `mode` are left out */
export function workloadMutualTls(
  mode: MutualTlsMode,
  ports: Iterable<readonly [number, MutualTlsMode]> = [],
): WorkloadMutualTls {
  const others = [...ports].filter((entry) => entry[1] !== mode).sort(([first], [second]) => first - second);
  return { mode, ports: new Map(others), key: [mode, ...others.map((entry) => entry.join('='))].join() };
}

/** What the proxy's workload is to take, whether or not the proxy has the certificate that it needs for it. */
export function mutualTlsOfProxy(
  context: Pick<PushContext, 'peerAuthentications' | 'objects'>,
  proxy: Proxy,
): WorkloadMutualTls {
  return context.peerAuthentications.ofNamespace(proxy.configNamespace).ofWorkload(labelsOf(context, proxy));
}

/** Those that the proxy says it has, or its pod's where it says none: a bootstrap without them is no way around STRICT. */
export function labelsOf({ objects }: Pick<PushContext, 'objects'>, { name, configNamespace, metadata }: Proxy) {
  if (Object.keys(metadata.labels).length > 0) return metadata.labels;
  return objects.get('Pod')?.get(objectKey('Pod', configNamespace, name))?.metadata.labels ?? metadata.labels;
}
