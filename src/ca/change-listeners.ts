/** Those who want to be told of changes. */
export interface ChangeListeners {
  /** The same function may be added again. @returns ends it. */
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
