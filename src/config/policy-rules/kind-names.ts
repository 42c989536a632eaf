/** The kinds of the policy runtime. Their public names are lower-case. */
export const RULE_KINDS = ['attributemanifest', 'handler', 'instance', 'rule', 'adapter', 'template'] as const;

const NAMES: ReadonlySet<string> = new Set(RULE_KINDS);

export function isRuleKind(kind: string): boolean {
  return NAMES.has(kind);
}
