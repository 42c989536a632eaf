import type { PeerAuthenticationSpec } from '../../config/security/peer-authentication.js';
import { type MutualTlsMode, type WorkloadMutualTls, workloadMutualTls } from './mutual-tls.js';
import { selectedLabels } from './oldest-first.js';

export type Labels = Readonly<Record<string, string>>;

/** The mutual TLS of the workloads of one namespace. The same object for as long as its content is the same. */
export interface NamespaceMutualTls {
  /** Equal ones have equal keys. */
  readonly key: string;
  /** Whether a port of any workload takes plaintext only. */
  readonly hasDisabled: boolean;
  /** The modes of a workload with these labels; workloads that the same object selects share the result. */
  ofWorkload(labels: Labels): WorkloadMutualTls;
}

/** Labels of a selector; none selects every workload. */
export type SelectedLabels = readonly (readonly [key: string, value: string])[];

interface Selected {
  readonly labels: SelectedLabels;
  readonly mutualTls: WorkloadMutualTls;
}

/**
 * @param inherited mode of workloads that no object selects
 * @param specs those with a selector, in order: only the first that selects a workload applies to it
 */
export function createNamespaceMutualTls(
  inherited: MutualTlsMode,
  specs: readonly PeerAuthenticationSpec[],
): NamespaceMutualTls {
  const others = workloadMutualTls(inherited);
  const selected = specs.map(
    (spec): Selected => ({
      labels: selectedLabels(spec),
      mutualTls: modesOf(spec, inherited),
    }),
  );
  const all = [others, ...selected.map(({ mutualTls }) => mutualTls)];
  return {
    key: JSON.stringify([others.key, selected.map(({ labels, mutualTls }) => [labels, mutualTls.key])]),
    hasDisabled: all.some(({ mode, ports }) => mode === 'DISABLE' || [...ports.values()].includes('DISABLE')),
    ofWorkload: (labels) => selected.find((each) => isSelected(labels, each.labels))?.mutualTls ?? others,
  };
}

/** The mode of a level, or of the level above it. */
export function modeOfSpec({ mtls }: Pick<PeerAuthenticationSpec, 'mtls'>, inherited: MutualTlsMode): MutualTlsMode {
  return mtls === undefined || mtls.mode === 'UNSET' ? inherited : mtls.mode;
}

function modesOf(spec: PeerAuthenticationSpec, inherited: MutualTlsMode): WorkloadMutualTls {
  const mode = modeOfSpec(spec, inherited);
  const ports = Object.entries(spec.portLevelMtls ?? {}).map(
    ([port, mtls]) => [Number(port), modeOfSpec({ mtls }, mode)] as const,
  );
  return workloadMutualTls(mode, ports);
}

/** Whether a workload has all the labels that are wanted. */
export function isSelected(labels: Labels, wanted: SelectedLabels): boolean {
  return wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
