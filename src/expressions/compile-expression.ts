import type { MatchMeter } from '../config/regex/match-meter.js';
import { createRegexPrograms, type RegexPrograms } from '../config/regex/regex-programs.js';
import type { AttributeValue } from './attribute-value.js';
import { readExpression } from './check-expression.js';
import { TRANSPORT_TYPES } from './compile/compile-attribute.js';
import { type CompileContext, compileNode } from './compile/compile-node.js';
import { LazyFrame } from './compile/lazy-frame.js';
import { type Conjunct, conjunctsOf } from './conditions/conjunct.js';
import type { AttributeReader, AttributeTypes, Evaluation, ExpressionLanguage, ValueType } from './expression-types.js';
import { Failure, type Outcome } from './values/failure.js';

/** An expression as closures. */
export interface CompiledExpression {
  readonly type: ValueType;
  /** Names of the attributes that the expression reads, sorted. */
  readonly reads: readonly string[];
  /** The parts that `&&` joins, for an index of rules. Compiled when they are first asked for. */
  conjuncts(): readonly Conjunct[];
  /**
   * Evaluates the expression. Never throws.
   *
   * @param meter limits the work of one request; default: a new one, for one expression
   */
  evaluate(bag: AttributeReader, meter?: MatchMeter): Evaluation;
  /** Whether the result is true. An expression that cannot be evaluated does not match. */
  matches(bag: AttributeReader, meter?: MatchMeter): boolean;
}

export interface CompileOptions {
  /** Where regular expressions are compiled, with the scope `any part`. Default: a place for this expression alone, of 4 MiB. */
  readonly programs?: RegexPrograms;
}

/** Memory of the regular expressions of one expression. */
const OWN_PROGRAMS_BYTES = 4 * 1024 * 1024;

const TRUE: Evaluation = { type: 'value', value: { type: 'bool', value: true } };
const FALSE: Evaluation = { type: 'value', value: { type: 'bool', value: false } };

/**
 * Compiles an expression. Compile once per rule: evaluating takes some hundred nanoseconds.
 *
 * @throws ExpressionSyntaxError for what `checkExpression` rejects
 */
export function compileExpression(
  text: string,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
  options: CompileOptions = {},
): CompiledExpression {
  const { programs = createRegexPrograms({ maxBytes: OWN_PROGRAMS_BYTES, scope: 'any part' }) } = options;
  const { tree, type, reads } = readExpression(text, attributes, language);
  const context: CompileContext = { semantics: language === 'legacy' ? 'legacy' : 'cel', programs };
  const node = compileNode(tree, context);
  let conjuncts: readonly Conjunct[] | undefined;
  const run = (bag: AttributeReader, meter: MatchMeter | undefined): Outcome => node(bag, new LazyFrame(meter));
  return {
    type,
    reads,
    conjuncts: () => {
      conjuncts ??= conjunctsOf(tree, context);
      return conjuncts;
    },
    evaluate: (bag, meter) => evaluationOf(run(bag, meter), type),
    matches: (bag, meter) => run(bag, meter) === true,
  };
}

function evaluationOf(outcome: Outcome, type: ValueType): Evaluation {
  if (outcome === true) return TRUE;
  if (outcome === false) return FALSE;
  // A Failure has the form of an error.
  if (outcome instanceof Failure) return outcome;
  return { type: 'value', value: { type: TRANSPORT_TYPES[type], value: outcome } as AttributeValue };
}
