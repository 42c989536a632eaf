import type { ServiceEndpoints } from '../../model/endpoint.js';
import { memoize } from '../../model/memo.js';
import type { LabelSet } from '../../model/policy/label-conditions.js';

/** The labels of a service's workloads. */
export interface WorkloadLabels {
  readonly workloads: readonly LabelSet[];
  /** `labelId` of every label that at least one workload has. */
  readonly ids: ReadonlySet<string>;
}

export type WorkloadLabelsOf = (endpoints: ServiceEndpoints) => WorkloadLabels;

/** Computes the labels once for each version of a service's endpoints. */
export function createWorkloadLabels(): WorkloadLabelsOf {
  return memoize(({ shards }) => {
    const workloads = [...shards.values()].flat().map(({ labels }) => labels);
    return { workloads, ids: new Set(workloads.flatMap((labels) => Object.entries(labels).map(labelId))) };
  });
}

export function labelId([key, value]: readonly [key: string, value: string]): string {
  return `${key}=${value}`;
}
