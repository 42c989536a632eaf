/** A server or cluster cannot be asked. The message names it, the reason and the remedy. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'UNREACHABLE';
}
