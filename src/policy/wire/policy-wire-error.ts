/** A message of `mesh.policy.v1` that cannot be read. */
export class PolicyWireError extends Error {
  readonly code = 'INVALID_POLICY_MESSAGE';
  /** Path of the value in its message. */
  readonly field: string;
  /** The problem and its remedy, as the text after the field. */
  readonly problem: string;

  constructor(field: string, problem: string, options?: ErrorOptions) {
    super(`${field} ${problem}`, options);
    this.name = 'PolicyWireError';
    this.field = field;
    this.problem = problem;
  }
}
