/** The kinds of the policy runtime. Their public names are lower-case. */
export const RULE_KINDS = ['attributemanifest', 'handler', 'instance', 'rule', 'adapter', 'template'] as const;
