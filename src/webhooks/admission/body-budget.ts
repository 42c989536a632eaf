/** Bytes of request bodies that may be held at once, by all requests together. */
export interface BodyBudget {
  /** @returns false when there is no room for them. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/**
 * Counts bytes that have arrived, not requests: a caller that sends slowly holds what it has sent, and keeps nobody
 * else out.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let held = 0;
  return {
    take: (bytes) => {
      if (held + bytes > maxBytes) return false;
      held += bytes;
      return true;
    },
    give: (bytes) => {
      held -= bytes;
    },
  };
}
