/** A part of a spec that cannot be used; the rest of the spec works without it. Validation refuses such specs earlier. */
export interface SpecProblem {
  /** Path from the list of specs, for example `[0].patterns[2].regex`. */
  readonly field: string;
  /** What is wrong with the value, and what to do. */
  readonly message: string;
}
