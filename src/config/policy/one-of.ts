/** One branch of a one-of, in the only form that a CRD's structural schema allows. */
interface OneOfBranch {
  required: string[];
}

/** Fields that exclude one another, in the form that a CRD's structural schema allows in an `allOf`. */
interface Exclusion {
  not: OneOfBranch;
}

/** Exactly one of the members is set. The API server enforces it too. */
export function exactlyOneOf(...members: readonly string[]): OneOfBranch[] {
  return members.map((member) => ({ required: [member] }));
}

/** The fields of each pair are not set together. */
export function neverTogether(...pairs: readonly (readonly [string, string])[]): Exclusion[] {
  return pairs.map((pair) => ({ not: { required: [...pair] } }));
}
