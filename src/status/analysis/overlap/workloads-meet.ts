import type { BoundHttpApiSpec } from '../../../config/policy/bound-specs.js';

/** The workloads that a spec or rule is for; undefined for all. */
export type Workloads = BoundHttpApiSpec['workloads'];

/** Whether one workload can be among both: some two of the sets of labels do not give one label two values. */
export function workloadsMeet(first: Workloads, second: Workloads): boolean {
  if (first === undefined || second === undefined) return true;
  return first.some((one) =>
    second.some((other) => Object.entries(one.labels).every(([key, value]) => (other.labels[key] ?? value) === value)),
  );
}
