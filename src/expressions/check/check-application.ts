import { nearestName } from '../../base/nearest-name.js';
import type { ExpressionFunction } from '../functions/expression-function.js';
import type { SyntaxNode } from '../tree/syntax-tree.js';
import type { CheckContext } from './check-context.js';
import { type ExpressionType, fits, isListType, typeText } from './expression-type.js';
import type { TypedNode } from './typed-tree.js';

/** A part as it is written, with its type. */
export interface Operand {
  readonly syntax: SyntaxNode;
  readonly typed: TypedNode;
}

export function checkOperand(syntax: SyntaxNode, context: CheckContext): Operand {
  return { syntax, typed: context.check(syntax) };
}

/**
 * An operand for a place that expects a type; undefined if its type does not fit. A text of the legacy syntax that reads as a
 * duration is a STRING where one is expected: `a == "0"`.
 */
export function convert({ syntax, typed }: Operand, expected: ExpressionType): TypedNode | undefined {
  if (fits(typed.type, expected)) return typed;
  const isText = syntax.kind === 'literal' && syntax.literal.type === 'DURATION' && expected === 'STRING';
  return isText ? { kind: 'constant', type: 'STRING', value: syntax.literal.text } : undefined;
}

/** Like `convert`, but an operand of another type is an error. */
export function expectType(operand: Operand, expected: ExpressionType, of: string, context: CheckContext): TypedNode {
  const found = typeText(operand.typed.type);
  return (
    convert(operand, expected) ??
    context.fail(operand.syntax.offset, `found ${found}, expected ${typeText(expected)} ${of}`)
  );
}

/** Operands that must have one type, which is the type of the first that is not a text that reads as a duration. */
export function sameType(operands: readonly Operand[], of: string, context: CheckContext): TypedNode[] {
  const isText = ({ syntax }: Operand): boolean => syntax.kind === 'literal' && syntax.literal.type === 'DURATION';
  const type = (operands.find((operand) => !isText(operand)) ?? operands[0])?.typed.type;
  return type === undefined ? [] : operands.map((operand) => expectType(operand, type, of, context));
}

/** Applies an operator. */
export function checkOperator(
  operator: string,
  operands: readonly Operand[],
  offset: number,
  context: CheckContext,
): TypedNode {
  const variants = context.functions.variants(operator, false);
  const applied = apply(variants, operands);
  if (applied !== undefined) return applied;
  const types = operands.map(({ typed }) => typeText(typed.type));
  if (variants.length === 0) {
    const remedy = context.language === 'cel' ? 'this language' : `the language ${context.language}`;
    return context.fail(
      offset,
      `found ${operator}, which ${remedy} does not have: set MESH_LANG to cel, or use other operators`,
    );
  }
  const [left, right] = types;
  const isMixed = right !== undefined && left !== right;
  const accepted = new Set(variants.map(({ parameters }) => parameters.map(typeText).join(` ${operator} `)));
  const found = right === undefined ? `${operator}${left}` : `${left} ${operator} ${right}`;
  const problem = isMixed ? `found ${found}` : `found ${found}, a type that ${operator} does not accept`;
  return context.fail(offset, `${problem}: expected ${listed([...accepted])}`);
}

/** Calls a function, or a method whose target is the first operand. */
export function checkFunction(
  name: string,
  isMethod: boolean,
  operands: readonly Operand[],
  offset: number,
  context: CheckContext,
): TypedNode {
  const variants = context.functions.variants(name, isMethod);
  if (variants.length === 0) return failUnknown(name, isMethod, offset, context);
  const applied = apply(variants, operands);
  if (applied !== undefined) return applied;
  const misfit = variants.length > 1 ? undefined : firstMisfit(variants[0]?.parameters ?? [], operands);
  const found = signature(
    name,
    isMethod,
    operands.map(({ typed }) => typed.type),
  );
  const accepted = variants.map(({ parameters }) => signature(name, isMethod, parameters));
  return context.fail(misfit?.syntax.offset ?? offset, `found ${found}, expected ${listed(accepted)}`);
}

/** Applies the variant whose types the operands have, or else the first whose types they can be converted to. */
function apply(variants: readonly ExpressionFunction[], operands: readonly Operand[]): TypedNode | undefined {
  const isExact = ({ parameters }: ExpressionFunction): boolean =>
    operands.every(({ typed }, index) => fits(typed.type, parameters[index] ?? typed.type));
  const complete = variants.filter(({ parameters }) => parameters.length === operands.length);
  for (const { name, parameters, result, run } of [...complete.filter(isExact), ...complete]) {
    const converted = operands.map((operand, index) => convert(operand, parameters[index] ?? operand.typed.type));
    if (converted.every((node) => node !== undefined)) {
      return { kind: 'apply', name, type: result, run, parameters: converted };
    }
  }
  return undefined;
}

function firstMisfit(parameters: readonly ExpressionType[], operands: readonly Operand[]): Operand | undefined {
  if (parameters.length !== operands.length) return undefined;
  return operands.find((operand, index) => {
    const expected = parameters[index];
    return expected !== undefined && convert(operand, expected) === undefined;
  });
}

function failUnknown(name: string, isMethod: boolean, offset: number, context: CheckContext): never {
  if (context.functions.variants(name, !isMethod).length > 0) {
    const form = isMethod ? `${name}(…)` : `value.${name}(…)`;
    return context.fail(offset, `found ${isMethod ? `.${name}(…)` : `${name}(…)`}, expected ${form}`);
  }
  const suggestion = nearestName(name, context.functions.names());
  const known = `expected one of ${[...context.functions.names()].sort().join(', ')}`;
  return context.fail(
    offset,
    `unknown function ${name}: ${suggestion === undefined ? known : `did you mean ${suggestion}?`}`,
  );
}

function signature(name: string, isMethod: boolean, types: readonly ExpressionType[]): string {
  const [target, ...rest] = types.map(typeText);
  if (!isMethod) return `${name}(${types.map(typeText).join(', ')})`;
  return `${types.some(isListType) ? `(${target})` : target}.${name}(${rest.join(', ')})`;
}

function listed(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}
