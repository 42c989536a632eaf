import type { AttributeValue } from './attribute-value.js';

/** Sets of labels, any of which a workload must carry as a whole; absent for all workloads. */
export type WorkloadsConfig = readonly { readonly labels: Readonly<Record<string, string>> }[];

/** The attribute with the labels of the workload that serves. */
export const WORKLOAD_LABELS = 'destination.labels';

/** Whether a spec or rule is for a workload. Specs with labels never match a check without labels. */
export function isForWorkload(workloads: WorkloadsConfig | undefined, labels: AttributeValue | undefined): boolean {
  if (workloads === undefined) return true;
  if (labels?.type !== 'stringMap') return false;
  return workloads.some(({ labels: wanted }) =>
    Object.entries(wanted).every(([key, value]) => labels.value.get(key) === value),
  );
}
