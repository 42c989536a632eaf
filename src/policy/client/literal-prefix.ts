/**
 * What may follow the prefix so that its last character is mandatory: the end, an item of its own, or one or more of the
 * character. Everything else may make the character before it optional, and not only where a repetition follows at once:
 * an empty quotation and flags are no items, so in `ab\Q\E*` and `ab(?i)*` the repetition is that of `b`.
 */
const KEEPS_LAST = /^(?:$|[.[$^+]|\((?:[^?]|\?(?:P?<|[a-zA-Z-]*:))|\\[^Q])/;

/** What every text begins with that the expression matches; empty when that is not plain to see. */
export function literalPrefix(regex: string): string {
  if (regex.includes('|')) return '';
  const [literal = ''] = /^[A-Za-z0-9/_~-]*/.exec(regex) ?? [];
  return KEEPS_LAST.test(regex.slice(literal.length)) ? literal : literal.slice(0, -1);
}
