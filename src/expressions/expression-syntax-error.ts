import type { ExpressionError } from './expression-types.js';

/** The error of an expression that cannot be parsed, or whose types do not fit. */
export class ExpressionSyntaxError extends Error {
  readonly code = 'INVALID_EXPRESSION';
  readonly offset: number;

  constructor({ message, offset }: ExpressionError) {
    super(message);
    this.name = 'ExpressionSyntaxError';
    this.offset = offset;
  }
}

/** Names and values in messages can be as long as the expression. */
const MAX_PROBLEM = 800;

/**
 * The error of an expression at one of its characters.
 *
 * @param problem what was found and what was expected, without the position
 */
export function errorAt(text: string, offset: number, problem: string): ExpressionSyntaxError {
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  const shown = problem.length > MAX_PROBLEM ? `${problem.slice(0, MAX_PROBLEM)}…` : problem;
  return new ExpressionSyntaxError({ message: `${before.length}:${column}: ${shown}`, offset });
}
