import type { ValueType } from '../expression-types.js';
import { Failure } from '../values/failure.js';
import { type ExpressionFunction, valueFunction } from './expression-function.js';

type Compute = (left: bigint, right: bigint) => bigint | Failure;

/** Whole numbers of CEL fail beyond 64 bits. Times and durations are nanoseconds, with the same limit. */
function checked(compute: Compute): Compute {
  return (left, right) => {
    const result = compute(left, right);
    if (result instanceof Failure || BigInt.asIntN(64, result) === result) return result;
    return new Failure('the result does not fit into 64 bits');
  };
}

const add = checked((left, right) => left + right);
const subtract = checked((left, right) => left - right);

function nonZero(compute: Compute): Compute {
  return checked((left, right) => (right === 0n ? new Failure('division by zero') : compute(left, right)));
}

function wholeNumbers(
  operator: string,
  compute: Compute,
  ...types: [ValueType, ValueType, ValueType]
): ExpressionFunction {
  const [left, right, result] = types;
  return { name: operator, isMethod: false, parameters: [left, right], result, run: compute };
}

/** Arithmetic of CEL; `+` of texts and DOUBLE is shared with `legacy`. */
export const ARITHMETIC: readonly ExpressionFunction[] = [
  wholeNumbers('+', add, 'INT64', 'INT64', 'INT64'),
  wholeNumbers('-', subtract, 'INT64', 'INT64', 'INT64'),
  wholeNumbers(
    '*',
    checked((left, right) => left * right),
    'INT64',
    'INT64',
    'INT64',
  ),
  wholeNumbers(
    '/',
    nonZero((left, right) => left / right),
    'INT64',
    'INT64',
    'INT64',
  ),
  wholeNumbers(
    '%',
    nonZero((left, right) => left % right),
    'INT64',
    'INT64',
    'INT64',
  ),
  wholeNumbers('+', add, 'TIMESTAMP', 'DURATION', 'TIMESTAMP'),
  wholeNumbers('+', add, 'DURATION', 'TIMESTAMP', 'TIMESTAMP'),
  wholeNumbers('+', add, 'DURATION', 'DURATION', 'DURATION'),
  wholeNumbers('-', subtract, 'TIMESTAMP', 'DURATION', 'TIMESTAMP'),
  wholeNumbers('-', subtract, 'TIMESTAMP', 'TIMESTAMP', 'DURATION'),
  wholeNumbers('-', subtract, 'DURATION', 'DURATION', 'DURATION'),
  valueFunction('-', ['DOUBLE', 'DOUBLE'], 'DOUBLE', (left, right) => left - right),
  valueFunction('*', ['DOUBLE', 'DOUBLE'], 'DOUBLE', (left, right) => left * right),
  valueFunction('/', ['DOUBLE', 'DOUBLE'], 'DOUBLE', (left, right) => left / right),
  valueFunction('-', ['INT64'], 'INT64', (value) => subtract(0n, value)),
  valueFunction('-', ['DOUBLE'], 'DOUBLE', (value) => -value),
];
