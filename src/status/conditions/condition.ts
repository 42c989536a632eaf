export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** `Accepted`: it is valid. `ResolvedRefs`: what it refers to exists. `Reconciled`: it is in force. */
export type ConditionType = 'Accepted' | 'ResolvedRefs' | 'Reconciled';

/** What is found about an object now, without when it began. */
export interface Verdict {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  /** One word for programs, of the table in reasons.ts. */
  readonly reason: string;
  /** One line for people. */
  readonly message: string;
}

/** One state of an object as `status.conditions` has it (BEHAVIOUR 8, "Status"). */
export interface Condition extends Omit<Verdict, 'type'> {
  readonly type: string;
  /** Generation of the spec that it speaks of. */
  readonly observedGeneration: number;
  /** RFC 3339: when it was last found to be otherwise than before. Not touched while nothing changes. */
  readonly lastProbeTime: string;
  /** RFC 3339: when `status` last changed. */
  readonly lastTransitionTime: string;
}

/** What analysis found, as `status.validationMessages` has it (BEHAVIOUR 8, "Analysis"). */
export interface ValidationMessage {
  readonly code: string;
  readonly level: 'Error' | 'Warn' | 'Info';
  readonly message: string;
}

/** The part of an object's status that is ours. A member that is absent is not there at all. */
export interface ObjectStatus {
  /** Absent while NAV_ENABLE_STATUS is off. */
  readonly conditions?: readonly Condition[];
  /** How many proxies have it, for a column of `kubectl get`; absent while NAV_ENABLE_STATUS is off. */
  readonly proxies?: string;
  /** Absent when analysis found nothing, or NAV_ENABLE_ANALYSIS is off. */
  readonly validationMessages?: readonly ValidationMessage[];
}
