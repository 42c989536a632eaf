/**
 * What may follow the prefix so that its last character is mandatory: the end, or an item of its own. Everything else
 * may make it optional, and not only a repetition that follows at once: an empty quotation and flags are no items, so
 * `ab\Q\E*`, `ab(?i)*` and `ab+\Q\E*` repeat `b`.
 */
const KEEPS_LAST = /^(?:$|[.[$^]|\((?:[^?]|\?(?:P?<|[a-zA-Z-]*:))|\\[^Q])/;

/** What every text begins with that the expression matches; empty when that is not plain to see. */
export function literalPrefix(regex: string): string {
  if (regex.includes('|')) return '';
  const [literal = ''] = /^[A-Za-z0-9/_~-]*/.exec(regex) ?? [];
  return KEEPS_LAST.test(regex.slice(literal.length)) ? literal : literal.slice(0, -1);
}
