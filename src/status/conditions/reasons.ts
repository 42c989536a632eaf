/** The reasons of conditions. */
export const REASONS = {
  /** Accepted is True. */
  valid: 'Valid',
  /** Accepted is False: the object breaks a rule that its CRD cannot express. */
  invalid: 'Invalid',
  /** ResolvedRefs is Unknown and Reconciled False, because Accepted is False. */
  notAccepted: 'NotAccepted',
  /** ResolvedRefs is Unknown because no analyzers run; Reconciled too if no proxy has the object. */
  notAnalyzed: 'NotAnalyzed',
  /** ResolvedRefs is True; also for an object without references. */
  resolved: 'Resolved',
  /** ResolvedRefs is False: a binding names a spec that does not exist, or a Consumer a Plan. */
  specNotFound: 'SpecNotFound',
  /** ResolvedRefs is False: a binding names a service that does not exist. */
  serviceNotFound: 'ServiceNotFound',
  /**
   * ResolvedRefs is False: a binding names services or specs of a namespace that does not grant it access, or a
   * ServiceEntry claims hosts or addresses of another namespace.
   */
  notGranted: 'RefNotPermitted',
  /** ResolvedRefs is False: a binding's pattern can match no service. */
  unusablePattern: 'UnusablePattern',
  /** ResolvedRefs is False: the policy server has no limit for a quota that the spec charges. */
  quotaNotLimited: 'QuotaNotLimited',
  /** ResolvedRefs is False: a Secret that a Consumer names gives no keys. */
  keysNotUsable: 'KeysNotUsable',
  /** Reconciled is True: every proxy that needs the object has it. */
  upToDate: 'UpToDate',
  /** Reconciled is True, and the message names fields of the object that have no effect. */
  partlyIdle: 'PartlyWithoutEffect',
  /** Reconciled is True: no connected proxy needs the object. */
  noProxies: 'NoProxies',
  /** Reconciled is False: some proxies or instances do not have the object yet. */
  inProgress: 'InProgress',
  /** Reconciled is False: a proxy rejected the configuration that was made from the object. */
  rejected: 'Rejected',
  /** Reconciled is False: no binding applies the spec to a service, or no rule uses the object. */
  notBound: 'NotBound',
  /** Reconciled is False because ResolvedRefs is False. */
  refsNotResolved: 'RefsNotResolved',
  /** Reconciled is False: a port of the workloads belongs to an older service, whose policies apply there. */
  shadowed: 'Shadowed',
  /** Reconciled is False: an annotation cannot be used. */
  unusableAnnotation: 'UnusableAnnotation',
  /** Reconciled is False: replicas of the policy server have their own counters, so they admit more than the limit. */
  countersNotShared: 'CountersNotShared',
  /** Reconciled is False: the settings of the mesh turn enforcement off, or policy servers cannot run the object. */
  notEnforced: 'NotEnforced',
  /** Reconciled is Unknown: the control plane does not track the state of proxies. */
  notTracked: 'NotTracked',
} as const;
