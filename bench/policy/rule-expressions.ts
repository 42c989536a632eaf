import { type CompiledExpression, compileExpression } from '../../src/expressions/compile-expression.js';
import type { ExpressionLanguage } from '../../src/expressions/expression-types.js';
import { RULE_ATTRIBUTES } from './rule-attributes.js';

/** A match of a rule, with a comparison, an entry of a map, a prefix and a regular expression. */
const MATCH: Readonly<Record<ExpressionLanguage, string>> = {
  legacy: matchWith('"^/[a-z]+".matches(request.path)', 'request.headers["x-user"] | ""'),
  compat: matchWith('request.path.matches("^/[a-z]+")', 'request.headers["x-user"] | ""'),
  cel: matchWith('request.path.matches("^/[a-z]+")', 'pick(request.headers["x-user"], "")'),
};

function matchWith(pathMatches: string, user: string): string {
  return `destination.service.host.startsWith("shop.") && request.method != "TRACE" && ${pathMatches} && (${user}) != "root"`;
}

/** One compiled match of a rule in each language, to be measured. */
export function compileRuleExpressions(): readonly (readonly [language: string, expression: CompiledExpression])[] {
  return (['legacy', 'compat', 'cel'] as const).map((language) => [
    language,
    compileExpression(MATCH[language], RULE_ATTRIBUTES, language),
  ]);
}
