import { type CompiledExpression, compileExpression } from '../../src/expressions/compile-expression.js';
import type {
  AttributeReader,
  AttributeTypes,
  ExpressionLanguage,
  ValueType,
} from '../../src/expressions/expression-types.js';

const TYPES: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['destination.service.host', 'STRING'],
  ['request.headers', 'STRING_MAP'],
  ['request.method', 'STRING'],
  ['request.path', 'STRING'],
]);
const ATTRIBUTES: AttributeTypes = { typeOf: (name) => TYPES.get(name), names: () => TYPES.keys() };

/** A match of a rule, with a comparison, an entry of a map, a prefix and a regular expression. */
const MATCH: Readonly<Record<ExpressionLanguage, string>> = {
  legacy: matchWith('"^/[a-z]+".matches(request.path)', 'request.headers["x-user"] | ""'),
  compat: matchWith('request.path.matches("^/[a-z]+")', 'request.headers["x-user"] | ""'),
  cel: matchWith('request.path.matches("^/[a-z]+")', 'pick(request.headers["x-user"], "")'),
};

function matchWith(pathMatches: string, user: string): string {
  return `destination.service.host.startsWith("shop.") && request.method != "TRACE" && ${pathMatches} && (${user}) != "root"`;
}

const RULES = 500;

/** Compiled expressions of rules, to be measured. */
export interface RuleExpressions {
  /** One match of a rule in each language. */
  readonly matches: readonly (readonly [language: string, expression: CompiledExpression])[];
  /** How many of 500 rules for other services and methods match: all are evaluated. */
  countMatching(attributes: AttributeReader): number;
}

export function compileRuleExpressions(): RuleExpressions {
  const rules = Array.from({ length: RULES }, (_, index) =>
    compileExpression(`destination.service.host == "svc-${index}" && request.method == "GET"`, ATTRIBUTES, 'legacy'),
  );
  return {
    matches: (['legacy', 'compat', 'cel'] as const).map((language) => [
      language,
      compileExpression(MATCH[language], ATTRIBUTES, language),
    ]),
    countMatching: (attributes) => {
      let count = 0;
      for (const rule of rules) if (rule.matches(attributes)) count++;
      return count;
    },
  };
}
