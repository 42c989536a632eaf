import { LIMITS } from '../../../config/policy/limits.js';
import type { StringMatchSpec } from '../../../config/policy/string-match.js';
import { parseDimension } from '../../../config/policy-server/dimension.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { protocolsOfConditions } from '../clause-protocols.js';
import { withConditions } from '../condition-lists.js';
import { createRegexMemo } from '../overlap/regex-memo.js';
import { type MatchesRegex, stringMatchesOverlap } from '../overlap/string-matches-overlap.js';

/** Attributes with two names and one value. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['request.httpmethod', 'request.method'],
  ['source.user', 'source.principal'],
]);

/** Clauses that no request meets, because two of their conditions exclude each other. */
export const findContradictoryClauses: Analyzer = (input) => {
  const matches = createRegexMemo({ beyond: true });
  const messages: AnalysisMessage[] = [];
  for (const [object, lists] of withConditions(input)) {
    let told = 0;
    for (const { path, match } of lists) {
      for (const [index, { clause }] of match.entries()) {
        const text = told < LIMITS.violations ? contradictionIn(clause, matches) : undefined;
        if (text === undefined) continue;
        told++;
        const field = `${path}.match[${index}].clause`;
        messages.push(createMessage('contradiction', { object, field }, text));
      }
    }
  }
  return messages;
};

type Clause = Readonly<Record<string, StringMatchSpec>>;

function contradictionIn(clause: Clause, matches: MatchesRegex): string | undefined {
  const protocols = protocolsOfConditions(clause);
  const http = protocols.find(({ protocol }) => protocol === 'http');
  const tcp = protocols.find(({ protocol }) => protocol === 'tcp');
  if (http !== undefined && tcp !== undefined) {
    return `only HTTP requests can meet ${http.written}, and only TCP connections ${tcp.written}`;
  }
  const known = new Map<string, readonly [written: string, condition: StringMatchSpec]>();
  for (const [written, condition] of Object.entries(clause)) {
    const subject = subjectOf(written);
    const other = known.get(subject);
    known.set(subject, [written, condition]);
    if (other === undefined || !isDecided(condition, other[1])) continue;
    if (stringMatchesOverlap(condition, other[1], matches)) continue;
    return `${other[0]} and ${written} are one attribute, which cannot be ${shown(other[1])} and ${shown(condition)} at once`;
  }
  return undefined;
}

function subjectOf(written: string): string {
  const { text, attribute, mapKey } = parseDimension(written) ?? { text: written, attribute: written };
  return mapKey === undefined ? (ALIASES.get(attribute) ?? attribute) : text;
}

/** `stringMatchesOverlap` does not decide two expressions, or an expression and a prefix. */
function isDecided(first: StringMatchSpec, second: StringMatchSpec): boolean {
  return (
    first.exact !== undefined ||
    second.exact !== undefined ||
    (first.prefix !== undefined && second.prefix !== undefined)
  );
}

function shown({ exact, prefix, regex }: StringMatchSpec): string {
  if (exact !== undefined) return JSON.stringify(exact);
  return prefix === undefined ? `a match of ${JSON.stringify(regex)}` : `begin with ${JSON.stringify(prefix)}`;
}
