/** Where a counterpart is, or why it cannot be had. */
export type Availability<Value> = { readonly value: Value } | { readonly missing: string };
