import { createMatchMeter, type MatchMeter } from '../config/regex/match-meter.js';
import { createRegexPrograms, type RegexPrograms } from '../config/regex/regex-programs.js';
import type { AttributeValue } from './attribute-value.js';
import { readExpression } from './check-expression.js';
import { TRANSPORT_TYPES } from './compile/compile-attribute.js';
import { compileNode } from './compile/compile-node.js';
import { requiredTexts } from './compile/required-texts.js';
import type { AttributeReader, AttributeTypes, Evaluation, ExpressionLanguage, ValueType } from './expression-types.js';
import { Failure, type Outcome } from './values/failure.js';
import type { NativeValue } from './values/native-value.js';

/** An expression as closures. */
export interface CompiledExpression {
  readonly type: ValueType;
  /** Names of the attributes that the expression reads, sorted. */
  readonly reads: readonly string[];
  /** Texts that attributes must have: in a request with another one, or without it, the result is never true. For an index of rules. */
  readonly requires: ReadonlyMap<string, string>;
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
/** Work of one evaluation, about 70 ms: 8,000 characters with 400 instructions. */
const MAX_EVALUATION_WORK = 4_000_000;

const TRUE: Evaluation = { type: 'value', value: { type: 'bool', value: true } };
const FALSE: Evaluation = { type: 'value', value: { type: 'bool', value: false } };

/** The meter of expressions for one request: the work of all its expressions together has the limit of one. */
export function createEvaluationMeter(): MatchMeter {
  return createMatchMeter(MAX_EVALUATION_WORK);
}

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
  const node = compileNode(tree, { semantics: language === 'legacy' ? 'legacy' : 'cel', programs });
  const run = (bag: AttributeReader, meter: MatchMeter | undefined): Outcome => node(bag, new LazyFrame(meter));
  return {
    type,
    reads,
    requires: requiredTexts(tree),
    evaluate: (bag, meter) => evaluationOf(run(bag, meter), type),
    matches: (bag, meter) => run(bag, meter) === true,
  };
}

/** Makes its parts when they are first needed: most expressions need none. */
class LazyFrame {
  #meter: MatchMeter | undefined;
  #slots: NativeValue[] | undefined;

  constructor(meter: MatchMeter | undefined) {
    this.#meter = meter;
  }

  get meter(): MatchMeter {
    this.#meter ??= createEvaluationMeter();
    return this.#meter;
  }

  get slots(): NativeValue[] {
    this.#slots ??= [];
    return this.#slots;
  }
}

function evaluationOf(outcome: Outcome, type: ValueType): Evaluation {
  if (outcome === true) return TRUE;
  if (outcome === false) return FALSE;
  // A Failure has the form of an error.
  if (outcome instanceof Failure) return outcome;
  return { type: 'value', value: { type: TRANSPORT_TYPES[type], value: outcome } as AttributeValue };
}
