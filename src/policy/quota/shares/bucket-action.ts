import type { Assignment } from './assignment.js';

/** The id of a bucket, as the proxy writes it. */
export type BucketId = Readonly<Record<string, string>>;

/** What a proxy is told about one bucket. */
export type BucketAction =
  | { readonly type: 'assign'; readonly id: BucketId; readonly assignment: Assignment }
  /** The proxy forgets the bucket, until it gets another request. */
  | { readonly type: 'abandon'; readonly id: BucketId };

/** Equal for equal ids, in whatever order their parts are. */
export function bucketKeyOf(id: BucketId): string {
  return JSON.stringify(Object.entries(id).sort(([first], [second]) => (first < second ? -1 : 1)));
}
