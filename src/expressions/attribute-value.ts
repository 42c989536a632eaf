/**
 * A typed attribute value (docs/reference/policy-kinds.md#attributes; value types of
 * docs/reference/policy-kinds.md#attribute-values). Values never change once made: bytes must not be written to after
 * they were handed in.
 */
export type AttributeValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'int64'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  | { readonly type: 'timestamp'; readonly value: bigint }
  /** Nanoseconds. */
  | { readonly type: 'duration'; readonly value: bigint }
  | { readonly type: 'stringMap'; readonly value: ReadonlyMap<string, string> };
