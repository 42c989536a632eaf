export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** `Accepted`: the object is valid. `ResolvedRefs`: its references exist. `Reconciled`: it is in force. */
export type ConditionType = 'Accepted' | 'ResolvedRefs' | 'Reconciled';

/** The present state of one condition, without its times. */
export interface JudgedCondition {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  /** One word for programs, from the table in reasons.ts. */
  readonly reason: string;
  /** One line for people. */
  readonly message: string;
}

/** An item of `status.conditions` (docs/status.md#conditions). */
export interface Condition extends Omit<JudgedCondition, 'type'> {
  readonly type: string;
  /** The generation that the condition describes. */
  readonly observedGeneration: number;
  /** RFC 3339: time of the last change of the condition. */
  readonly lastProbeTime: string;
  /** RFC 3339: time of the last change of `status`. */
  readonly lastTransitionTime: string;
}

/** An item of `status.validationMessages`. */
export interface ValidationMessage {
  readonly code: string;
  readonly level: 'Error' | 'Warn' | 'Info';
  readonly message: string;
}

/** The fields of an object's status that the control plane writes. */
export interface ObjectStatus {
  /** Absent if NAV_ENABLE_STATUS is false. */
  readonly conditions?: readonly Condition[];
  /** Number of proxies that have the object, for a column of `kubectl get`; absent if NAV_ENABLE_STATUS is false. */
  readonly proxies?: string;
  /** Absent if analysis found nothing, or NAV_ENABLE_ANALYSIS is false. */
  readonly validationMessages?: readonly ValidationMessage[];
}
