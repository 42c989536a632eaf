import type { ObjectKey } from '../../../config/object.js';

/** Something about an object of the cluster that keeps it from being served as it is. */
export interface ObjectProblem {
  readonly key: ObjectKey;
  /** `spec.rules[0].quotas`; absent when the object as a whole is at fault. */
  readonly field?: string;
  /** What is wrong and what to do, in one line. */
  readonly reason: string;
}

/** A problem that is there at present, for debug pages and status. */
export interface ObjectReport extends ObjectProblem {
  readonly since: Date;
}
