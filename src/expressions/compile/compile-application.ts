import type { TypedNode } from '../check/typed-tree.js';
import type { FunctionRun } from '../functions/expression-function.js';
import { Failure, type Outcome } from '../values/failure.js';
import type { NativeValue } from '../values/native-value.js';
import type { EvaluateNode } from './evaluate-node.js';

type Run = (...values: readonly NativeValue[]) => Outcome;

/** A function of a value and a constant, such as `a != "b"`; undefined for other parameters. */
export function compileWithConstant(
  functionRun: FunctionRun,
  [first, second, third]: readonly TypedNode[],
  compile: (part: TypedNode) => EvaluateNode,
): EvaluateNode | undefined {
  if (first === undefined || second?.kind !== 'constant' || third !== undefined) return undefined;
  const run = functionRun as unknown as Run;
  const { value: constant } = second;
  const compiled = compile(first);
  return (bag, frame) => {
    const value = compiled(bag, frame);
    return value instanceof Failure ? value : run(value, constant);
  };
}

/** Evaluates the parameters from left to right and applies the function to them. The first failure is the result. */
export function compileApplication(functionRun: FunctionRun, parameters: readonly EvaluateNode[]): EvaluateNode {
  const run = functionRun as unknown as Run;
  const [first, second, third] = parameters;
  if (first !== undefined && second === undefined) {
    return (bag, frame) => {
      const value = first(bag, frame);
      return value instanceof Failure ? value : run(value);
    };
  }
  if (first !== undefined && second !== undefined && parameters.length === 2) {
    return (bag, frame) => {
      const left = first(bag, frame);
      if (left instanceof Failure) return left;
      const right = second(bag, frame);
      return right instanceof Failure ? right : run(left, right);
    };
  }
  if (first !== undefined && second !== undefined && third !== undefined && parameters.length === 3) {
    return (bag, frame) => {
      const one = first(bag, frame);
      if (one instanceof Failure) return one;
      const two = second(bag, frame);
      if (two instanceof Failure) return two;
      const three = third(bag, frame);
      return three instanceof Failure ? three : run(one, two, three);
    };
  }
  return (bag, frame) => {
    const values: NativeValue[] = [];
    for (const parameter of parameters) {
      const value = parameter(bag, frame);
      if (value instanceof Failure) return value;
      values.push(value);
    }
    return run(...values);
  };
}
