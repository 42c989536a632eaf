/** Bytes of request bodies that may be held at once, by all requests together. */
export interface BodyBudget {
  /** @param cutOff called when the body, which is still on its way, has to make room; what it holds is given back */
  open(cutOff: () => void): BodyAccount;
}

/** What one body holds of the budget. */
export interface BodyAccount {
  /** @returns false when there is no room for them. */
  take(bytes: number): boolean;
  /** It is whole: it makes room for nobody any more. */
  complete(): void;
  /** Gives everything back. */
  close(): void;
}

interface Holder {
  held: number;
  readonly cutOff: () => void;
}

/**
 * Counts bytes that have arrived, not requests. When there is no room, whoever has been sending the longest goes: API
 * servers send a body in one go, and who holds one back on purpose keeps nobody else out.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let held = 0;
  /** Bodies on their way, in the order in which they began. */
  const coming = new Set<Holder>();

  const release = (holder: Holder): void => {
    coming.delete(holder);
    held -= holder.held;
    holder.held = 0;
  };
  const makeRoom = (bytes: number, asking: Holder): boolean => {
    for (const holder of coming) {
      if (held + bytes <= maxBytes) break;
      if (holder === asking || holder.held === 0) continue;
      release(holder);
      holder.cutOff();
    }
    return held + bytes <= maxBytes;
  };

  return {
    open: (cutOff) => {
      const holder: Holder = { held: 0, cutOff };
      coming.add(holder);
      return {
        take: (bytes) => {
          if (!makeRoom(bytes, holder)) return false;
          held += bytes;
          holder.held += bytes;
          return true;
        },
        complete: () => void coming.delete(holder),
        close: () => release(holder),
      };
    },
  };
}
