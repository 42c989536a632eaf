import type { ObjectKey } from '../../../config/object.js';

/** Why an object of the cluster is not served as it is. */
export interface ObjectProblem {
  readonly key: ObjectKey;
  /** `spec.rules[0].quotas`; absent when the object as a whole is at fault. */
  readonly field?: string;
  /** The problem and the remedy, in one line. */
  readonly reason: string;
}

/** A present problem, for debug pages and status. */
export interface ObjectReport extends ObjectProblem {
  readonly since: Date;
}
