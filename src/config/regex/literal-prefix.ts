/**
 * A continuation after which the last character of the prefix is mandatory: the end, or a new item. Anything else may make
 * the character optional, also a repetition further on: empty quotations and flags are not items, so `ab\Q\E*`, `ab(?i)*`
 * and `ab+\Q\E*` repeat `b`.
 */
const KEEPS_LAST = /^(?:$|[.[$^]|\((?:[^?]|\?(?:P?<|[a-zA-Z-]*:))|\\[^Q])/;

/** A prefix of every text that the expression matches; empty if the expression does not show one. */
export function literalPrefix(regex: string): string {
  if (regex.includes('|')) return '';
  const [literal = ''] = /^[A-Za-z0-9/_~-]*/.exec(regex) ?? [];
  return KEEPS_LAST.test(regex.slice(literal.length)) ? literal : literal.slice(0, -1);
}
