/** One branch of a one-of, in the only form that a CRD's structural schema allows for it. */
interface OneOfBranch {
  required: string[];
}

/** Says that fields exclude one another; in an `allOf`, as a CRD's structural schema allows. */
interface Exclusion {
  not: OneOfBranch;
}

/** Exactly one of the members is set; written so that the API server refuses the rest by itself (DESIGN 4). */
export function exactlyOneOf(...members: readonly string[]): OneOfBranch[] {
  return members.map((member) => ({ required: [member] }));
}

/** Each pair of fields may not be set together. */
export function neverTogether(...pairs: readonly (readonly [string, string])[]): Exclusion[] {
  return pairs.map((pair) => ({ not: { required: [...pair] } }));
}
