/** A bucket of a counter. */
export interface CounterRef {
  /** The hash in the key of the counter. */
  readonly counter: string;
  readonly bucket: number;
}

/** Names a bucket of a counter in Redis. */
export function refOf(counter: string, bucket: number): string {
  return `${counter}/${bucket}`;
}

/** Reads what `refOf` has written. */
export function readRef(ref: string): CounterRef {
  const [counter = '', bucket] = ref.split('/');
  return { counter, bucket: Number(bucket) };
}
