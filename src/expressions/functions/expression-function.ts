import type { ExpressionType } from '../check/expression-type.js';
import type { ValueType } from '../expression-types.js';
import type { Failure } from '../values/failure.js';
import type { NativeValue, NativeValues } from '../values/native-value.js';

/** Computes a result from parameters of the declared types. */
export type FunctionRun = (...parameters: never[]) => NativeValue | Failure;

/** An operator or function for parameters of certain types. */
export interface ExpressionFunction {
  readonly name: string;
  /** Whether it is called as `first.name(…)`, and not as `name(first, …)`. */
  readonly isMethod: boolean;
  readonly parameters: readonly ExpressionType[];
  readonly result: ExpressionType;
  readonly run: FunctionRun;
}

type ValuesOf<Types extends readonly ValueType[]> = { -readonly [Index in keyof Types]: NativeValues[Types[Index]] };

/** A function of values: `name(first, …)`. */
export function valueFunction<const Types extends readonly ValueType[], Result extends ValueType>(
  name: string,
  parameters: Types,
  result: Result,
  run: (...values: ValuesOf<Types>) => NativeValues[Result] | Failure,
): ExpressionFunction {
  return { name, isMethod: false, parameters, result, run: run as unknown as FunctionRun };
}

/** A method of a value: `first.name(…)`. */
export function valueMethod<const Types extends readonly ValueType[], Result extends ValueType>(
  name: string,
  parameters: Types,
  result: Result,
  run: (...values: ValuesOf<Types>) => NativeValues[Result] | Failure,
): ExpressionFunction {
  return { name, isMethod: true, parameters, result, run: run as unknown as FunctionRun };
}
