import type { BoundHttpApiSpec } from '../../../config/policy/bound-specs.js';

/** The workloads to which a spec or rule applies; undefined for all. */
export type Workloads = BoundHttpApiSpec['workloads'];

/** Whether both can select one workload: two of the label sets give no label different values. */
export function workloadsMeet(first: Workloads, second: Workloads): boolean {
  if (first === undefined || second === undefined) return true;
  return first.some((one) =>
    second.some((other) => Object.entries(one.labels).every(([key, value]) => (other.labels[key] ?? value) === value)),
  );
}
