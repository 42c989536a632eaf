import type { AttributeTypes, ExpressionLanguage } from '../../expressions/expression-types.js';
import { validateDuration } from '../duration-rules.js';
import { firstViolations } from '../policy/limits.js';
import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';
import { certainViolations, type ExpressionField } from './check-field.js';
import { HEADER_FIELDS, headerViolations } from './header-operation-rules.js';
import type { RuleSpec } from './rule.js';

/** Rules of a rule that its schema cannot express. */
export function validateRule(
  spec: RuleSpec,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): readonly Violation[] {
  return firstViolations(ruleViolations(spec, attributes, language));
}

/** The expressions of a rule. */
export function* ruleExpressions({ match = '', sampling, ...spec }: RuleSpec): Iterable<ExpressionField> {
  if (match.trim() !== '') yield { path: 'match', text: match, needs: 'BOOL' };
  for (const field of HEADER_FIELDS) {
    for (const [index, { values }] of spec[field].entries()) {
      for (const [at, text] of values.entries()) {
        yield { path: `${field}[${index}].values[${at}]`, text, needs: 'STRING' };
      }
    }
  }
  const text = sampling?.random?.attributeExpression;
  if (text !== undefined) yield { path: 'sampling.random.attributeExpression', text, needs: 'any' };
}

function* ruleViolations(
  spec: RuleSpec,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): Iterable<Violation> {
  for (const { index, first } of repeatedValues(spec.actions.map(({ name }) => name))) {
    yield {
      path: `actions[${index}].name`,
      value: spec.actions[index]?.name,
      message: `is also the name of actions[${first}]`,
      remedy: 'give each action a name of its own',
    };
  }
  for (const field of HEADER_FIELDS) {
    for (const [index, operation] of spec[field].entries()) {
      yield* headerViolations(`${field}[${index}]`, field, operation);
    }
  }
  yield* samplingViolations(spec.sampling);
  yield* certainViolations(ruleExpressions(spec), attributes, language);
}

const DENOMINATORS = { HUNDRED: 100, TEN_THOUSAND: 10_000 } as const;

function* samplingViolations(sampling: RuleSpec['sampling']): Iterable<Violation> {
  const { random, rateLimit } = sampling ?? {};
  const { numerator = 0, denominator = 'HUNDRED' } = random?.percentSampled ?? {};
  if (numerator > DENOMINATORS[denominator]) {
    yield {
      path: 'sampling.random.percentSampled.numerator',
      value: numerator,
      message: `is more than all requests: ${denominator} is ${DENOMINATORS[denominator]}`,
      remedy: `use 0 to ${DENOMINATORS[denominator]}`,
    };
  }
  yield* validateDuration('sampling.rateLimit.samplingDuration', rateLimit?.samplingDuration);
}
