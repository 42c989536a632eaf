/** Listeners that are called on each change. */
export interface ChangeListeners {
  /** Adds a listener; the same function may be added twice. @returns a function that removes it. */
  add(listener: () => void): () => void;
  tell(): void;
}

export function createChangeListeners(): ChangeListeners {
  const listeners = new Set<() => void>();
  return {
    add: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    tell: () => {
      for (const listener of [...listeners]) listener();
    },
  };
}
