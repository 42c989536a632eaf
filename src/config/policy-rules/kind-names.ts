/** The kinds of the policy runtime. Their public names are lower-case. */
export const RULE_KINDS = ['attributemanifest', 'handler', 'instance', 'rule', 'adapter', 'template'] as const;

/** Kinds that are validated and stored, and that nothing runs yet: status, analysis and log say so. */
export const KINDS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(RULE_KINDS);

/** Why they have no effect. */
export const WITHOUT_EFFECT = 'policy servers of this version do not run rules';
