import type { ReviewCaller } from './review-caller.js';

/** Bytes of request bodies that may be held at once, by all requests together. */
export interface BodyBudget {
  /** @param cutOff called when the body has to make room; what it holds is released already */
  open(claim: BodyClaim, cutOff: () => void): BodyAccount;
}

/** The request that wants to hold a body. */
export interface BodyClaim {
  readonly caller: ReviewCaller;
  /** It said that its body is small. */
  readonly isSmall: boolean;
}

/** What one body holds of the budget. */
export interface BodyAccount {
  /** @returns false when there is no room for them. */
  take(bytes: number): boolean;
  /** The body is whole, and waits: it makes room only for callers that hold less. */
  complete(): void;
  /** The body is being answered: it makes room for none. */
  begin(): void;
  /** Releases everything. */
  close(): void;
}

/** Shares of the whole: the rest is kept for callers with a certificate, and for small bodies. */
const ANONYMOUS_SHARE = 3 / 4;
const ANONYMOUS_LARGE_SHARE = 5 / 8;

interface Holder extends BodyClaim {
  held: number;
  phase: 'arriving' | 'waiting' | 'running';
  readonly cutOff: () => void;
}

/**
 * Counts bytes that have arrived, not requests. Callers without a certificate get three quarters, their large bodies
 * five eighths. When there is no room, a body makes room that is still arriving, of the address that holds the most,
 * for API servers send a body at once; else one that waits, of an address that holds more than the one that asks.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  // In the order in which they began.
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
  /** Bodies that share the limit which these bytes would exceed; undefined when they fit. */
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

/** How willingly a body is given up for another one; negative when it is not. */
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
