/** Every reason that a condition gives, by what it means. */
export const REASONS = {
  /** Accepted is True. */
  valid: 'Valid',
  /** Accepted is False: the object breaks a rule that its CRD cannot express. */
  invalid: 'Invalid',
  /** ResolvedRefs is Unknown and Reconciled False, because Accepted is False. */
  notAccepted: 'NotAccepted',
  /** ResolvedRefs is Unknown, and Reconciled too where no proxy has the object: no analyzers run. */
  notAnalyzed: 'NotAnalyzed',
  /** ResolvedRefs is True; also where an object refers to nothing. */
  resolved: 'Resolved',
  /** ResolvedRefs is False: a binding names a spec that does not exist. */
  specNotFound: 'SpecNotFound',
  /** ResolvedRefs is False: a binding names a service that does not exist. */
  serviceNotFound: 'ServiceNotFound',
  /**
   * ResolvedRefs is False: a binding names services or specs of a namespace that does not let it, or a ServiceEntry
   * claims what is another namespace's.
   */
  notGranted: 'RefNotPermitted',
  /** ResolvedRefs is False: a binding's pattern can match no service. */
  unusablePattern: 'UnusablePattern',
  /** ResolvedRefs is False: the policy server has no limit for a quota that the spec charges. */
  quotaNotLimited: 'QuotaNotLimited',
  /** Reconciled is True: every proxy that it concerns has it. */
  upToDate: 'UpToDate',
  /** Reconciled is True, and the message names fields of the object that have no effect. */
  partlyIdle: 'PartlyWithoutEffect',
  /** Reconciled is True: it concerns no proxy that is connected. */
  noProxies: 'NoProxies',
  /** Reconciled is False: some do not have it yet. */
  inProgress: 'InProgress',
  /** Reconciled is False: a proxy refused what was made of it. */
  rejected: 'Rejected',
  /** Reconciled is False: no binding says for which services it is. */
  notBound: 'NotBound',
  /** Reconciled is False, because ResolvedRefs is. */
  refsNotResolved: 'RefsNotResolved',
  /** Reconciled is False: workloads serve a port of the service for an older one, whose policies hold there. */
  shadowed: 'Shadowed',
  /** Reconciled is False: an annotation cannot be used. */
  unusableAnnotation: 'UnusableAnnotation',
  /** Reconciled is False: replicas of the policy server count for themselves, so more is admitted than the limit. */
  countersNotShared: 'CountersNotShared',
  /** Reconciled is False: the mesh is set up so that nobody enforces policies. */
  notEnforced: 'NotEnforced',
  /** Reconciled is Unknown: nobody keeps account of what proxies have. */
  notTracked: 'NotTracked',
} as const;
