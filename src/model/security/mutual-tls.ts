import { objectKey } from '../../config/object.js';
import type { Proxy } from '../proxy.js';
import type { PushContext } from '../push-context.js';

/** The connections that a port takes: plaintext only, both, or mutual TLS of the mesh only. */
export type MutualTlsMode = 'DISABLE' | 'PERMISSIVE' | 'STRICT';

/** The mutual TLS modes of the ports of one workload. */
export interface WorkloadMutualTls {
  /** Mode of every port that `ports` does not name, with or without a service. */
  readonly mode: MutualTlsMode;
  /** Ports with another mode, by target port. */
  readonly ports: ReadonlyMap<number, MutualTlsMode>;
  /** Equal modes have equal keys. */
  readonly key: string;
}

export function modeOfPort({ mode, ports }: WorkloadMutualTls, port: number): MutualTlsMode {
  return ports.get(port) ?? mode;
}

/** @param ports in any order; those with the mode `mode` are left out */
export function workloadMutualTls(
  mode: MutualTlsMode,
  ports: Iterable<readonly [number, MutualTlsMode]> = [],
): WorkloadMutualTls {
  const others = [...ports].filter((entry) => entry[1] !== mode).sort(([first], [second]) => first - second);
  return { mode, ports: new Map(others), key: [mode, ...others.map((entry) => entry.join('='))].join() };
}

/** The modes that apply to the workload of a proxy, whether or not the proxy has a certificate. */
export function mutualTlsOfProxy(
  context: Pick<PushContext, 'peerAuthentications' | 'objects'>,
  proxy: Proxy,
): WorkloadMutualTls {
  return context.peerAuthentications.ofNamespace(proxy.configNamespace).ofWorkload(labelsOf(context, proxy));
}

/**
 * Labels from the metadata of the proxy, or of its pod if it sends none: a bootstrap without labels must not bypass
 * STRICT.
 */
export function labelsOf(
  { objects }: Pick<PushContext, 'objects'>,
  { name, configNamespace, metadata }: Pick<Proxy, 'name' | 'configNamespace' | 'metadata'>,
) {
  if (Object.keys(metadata.labels).length > 0) return metadata.labels;
  return objects.get('Pod')?.get(objectKey('Pod', configNamespace, name))?.metadata.labels ?? metadata.labels;
}
