import { type ExpressionFunction, valueFunction } from './expression-function.js';
import { SHARED_FUNCTIONS } from './shared-functions.js';

/** Operators and functions of the language `legacy`. */
export const LEGACY_FUNCTIONS: readonly ExpressionFunction[] = [
  ...SHARED_FUNCTIONS,
  // A sum beyond 64 bits wraps, as in Go.
  valueFunction('+', ['INT64', 'INT64'], 'INT64', (left, right) => BigInt.asIntN(64, left + right)),
  valueFunction('size', ['STRING'], 'INT64', (text) => BigInt(Buffer.byteLength(text))),
];
