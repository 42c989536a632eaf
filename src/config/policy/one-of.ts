/** One branch of a one-of, in the only form that a CRD's structural schema allows for it. */
interface OneOfBranch {
  required: string[];
}

/** Exactly one of the members is set; written so that the API server refuses the rest by itself (DESIGN 4). */
export function exactlyOneOf(...members: readonly string[]): OneOfBranch[] {
  return members.map((member) => ({ required: [member] }));
}
