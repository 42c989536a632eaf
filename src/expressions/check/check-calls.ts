import type { SyntaxNode } from '../tree/syntax-tree.js';
import { checkFunction, checkOperand, expectType, type Operand, sameType } from './check-application.js';
import { type CheckContext, isCel } from './check-context.js';
import { checkMacro } from './check-macros.js';
import { checkPresenceCall } from './check-presence.js';
import type { TypedNode } from './typed-tree.js';

type Call = Extract<SyntaxNode, { kind: 'call' }>;

/** Checks a call of a function or method. Some have rules of their own: those that do not evaluate all their parameters. */
export function checkCall(call: Call, context: CheckContext): TypedNode {
  const { name, target, parameters, offset } = call;
  if (target === undefined && name === 'conditional') {
    const [condition, ifTrue, ifFalse] = parameters;
    if (condition === undefined || ifTrue === undefined || ifFalse === undefined || parameters.length > 3) {
      return context.fail(offset, `found conditional with ${parameters.length} parameters, expected 3`);
    }
    return checkConditional(condition, ifTrue, ifFalse, context);
  }
  const special = isCel(context) ? (checkPresenceCall(call, context) ?? checkMacro(call, context)) : undefined;
  if (special !== undefined) return special;
  const operands = (target === undefined ? parameters : [target, ...parameters]).map((each) =>
    checkOperand(each, context),
  );
  if (name === 'matches' && (target !== undefined || isCel(context))) return checkMatches(call, operands, context);
  return checkFunction(name, target !== undefined, operands, offset, context);
}

/** `conditional(condition, ifTrue, ifFalse)` and `condition ? ifTrue : ifFalse`. */
export function checkConditional(
  condition: SyntaxNode,
  ifTrue: SyntaxNode,
  ifFalse: SyntaxNode,
  context: CheckContext,
): TypedNode {
  const choices = sameType(
    [checkOperand(ifTrue, context), checkOperand(ifFalse, context)],
    'as the other value has',
    context,
  );
  const [first, second] = choices;
  if (first === undefined || second === undefined) return context.fail(ifTrue.offset, 'found no values');
  return {
    kind: 'conditional',
    type: first.type,
    condition: expectType(checkOperand(condition, context), 'BOOL', 'as a condition', context),
    ifTrue: first,
    ifFalse: second,
  };
}

/** In `legacy`, the pattern is the target of the method: `"svc.*".matches(destination.service)`. CEL has it the other way round. */
function checkMatches(
  { target, parameters, offset }: Call,
  operands: readonly Operand[],
  context: CheckContext,
): TypedNode {
  const [first, second] = operands;
  if (first === undefined || second === undefined || operands.length > 2) {
    const count = target === undefined ? 2 : 1;
    return context.fail(offset, `found matches with ${parameters.length} parameters, expected ${count}`);
  }
  const [textOperand, patternOperand] = isCel(context) ? [first, second] : [second, first];
  const text = expectType(textOperand, 'STRING', 'as the text of matches', context);
  const pattern = expectType(patternOperand, 'STRING', 'as the regular expression of matches', context);
  if (pattern.kind === 'constant' && typeof pattern.value === 'string') {
    const checked = context.checkRegex(pattern.value);
    if (checked.type === 'error') {
      const { offset: at } = patternOperand.syntax;
      return context.fail(at, `the regular expression ${checked.message}: ${checked.remedy}`);
    }
  }
  return { kind: 'matches', type: 'BOOL', text, pattern };
}
