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
