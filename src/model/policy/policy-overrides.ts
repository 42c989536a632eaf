/** `policy.D/check`: what a proxy is told to do about checks, whatever the mesh config says. */
export type CheckMode = 'enable' | 'allow-on-error' | 'disable';

/** What node metadata `policy.D/…` changes of the mesh's policy (BEHAVIOUR 5, "Transport"). Absent keys are absent. */
export interface PolicyOverrides {
  readonly check?: CheckMode;
  readonly checkRetries?: number;
  /** At least 1, in whole milliseconds. */
  readonly checkBaseRetryWaitMs?: number;
  readonly checkMaxRetryWaitMs?: number;
}
