import type { ReviewCaller } from './review-caller.js';

/** Limits the bytes of request bodies in memory, over all requests. */
export interface BodyBudget {
  /** @param cutOff called after the budget released the body to make room for another one */
  open(claim: BodyClaim, cutOff: () => void): BodyAccount;
}

/** The request of a body. */
export interface BodyClaim {
  readonly caller: ReviewCaller;
  /** Its Content-Length is that of a small body. */
  readonly isSmall: boolean;
}

/** The bytes of one body in the budget. */
export interface BodyAccount {
  /** @returns false if there is no room for the bytes */
  take(bytes: number): boolean;
  /** The body is complete and waits: from now on it makes room only for callers that hold less. */
  complete(): void;
  /** The review begins: from now on the body makes room for no other. */
  begin(): void;
  /** Releases everything. */
  close(): void;
}

/** Shares of the budget; the rest is reserved for callers with a certificate, and for small bodies. */
const ANONYMOUS_SHARE = 3 / 4;
const ANONYMOUS_LARGE_SHARE = 5 / 8;

interface Holder extends BodyClaim {
  held: number;
  phase: 'arriving' | 'waiting' | 'running';
  readonly cutOff: () => void;
}

/**
 * Counts bytes that have arrived, not requests. Callers without a certificate get three quarters, their large bodies
 * five eighths. Without room, the budget releases an incomplete body of the address that holds the most, because API
 * servers send a body at once. Otherwise it releases a waiting body of an address that holds more than the caller.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  // Ordered by their begin.
  const holders = new Set<Holder>();

  const release = (holder: Holder): void => {
    holders.delete(holder);
    holder.held = 0;
  };
  const sum = (isCounted: (holder: Holder) => boolean): number => {
    let total = 0;
    for (const holder of holders) if (isCounted(holder)) total += holder.held;
    return total;
  };
  /** Selects the bodies that share the limit that these bytes would exceed; undefined if the bytes fit. */
  const crowdOf = (asking: Holder, bytes: number): ((holder: Holder) => boolean) | undefined => {
    const limits: readonly (readonly [share: number, isCounted: (holder: Holder) => boolean])[] = [
      [ANONYMOUS_LARGE_SHARE, (holder) => isAnonymous(holder) && !holder.isSmall],
      [ANONYMOUS_SHARE, isAnonymous],
      [1, () => true],
    ];
    const exceeded = limits.find(
      ([share, isCounted]) => isCounted(asking) && sum(isCounted) + bytes > share * maxBytes,
    );
    return exceeded?.[1];
  };
  const heldBy = (source: string): number => sum(({ caller }) => caller.source === source);

  const victimOf = (asking: Holder, bytes: number, crowd: (holder: Holder) => boolean): Holder | undefined => {
    let victim: Holder | undefined;
    let rank = -1;
    const ofAsking = heldBy(asking.caller.source) + bytes;
    for (const holder of holders) {
      if (holder === asking || holder.held === 0 || !crowd(holder)) continue;
      const next = rankOf(holder, asking, heldBy(holder.caller.source), ofAsking);
      if (next <= rank) continue;
      victim = holder;
      rank = next;
    }
    return victim;
  };

  const makeRoom = (asking: Holder, bytes: number): boolean => {
    for (let crowd = crowdOf(asking, bytes); crowd !== undefined; crowd = crowdOf(asking, bytes)) {
      const victim = victimOf(asking, bytes, crowd);
      if (victim === undefined) return false;
      release(victim);
      victim.cutOff();
    }
    return true;
  };

  return {
    open: (claim, cutOff) => {
      const holder: Holder = { ...claim, held: 0, phase: 'arriving', cutOff };
      holders.add(holder);
      return {
        take: (bytes) => {
          if (!makeRoom(holder, bytes)) return false;
          holder.held += bytes;
          return true;
        },
        complete: () => {
          holder.phase = 'waiting';
        },
        begin: () => {
          holder.phase = 'running';
        },
        close: () => release(holder),
      };
    },
  };
}

function isAnonymous({ caller }: Holder): boolean {
  return !caller.isTrusted;
}

/** Rank of a body for release in favour of another: the highest rank goes first, and negative ranks stay. */
function rankOf({ phase, caller }: Holder, asking: Holder, ofSource: number, ofAsking: number): number {
  if (caller.isTrusted && !asking.caller.isTrusted) return -1;
  switch (phase) {
    case 'running':
      return -1;
    case 'arriving':
      return Number.MAX_SAFE_INTEGER / 2 + ofSource;
    case 'waiting':
      if (caller.source === asking.caller.source && caller.isTrusted === asking.caller.isTrusted) return -1;
      return ofSource > ofAsking || (asking.caller.isTrusted && !caller.isTrusted) ? ofSource : -1;
  }
}
