/** The path of a counterpart, or why it is missing. */
export type Availability<Value> = { readonly value: Value } | { readonly missing: string };
