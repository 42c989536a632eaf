/** Whatever ends things: a test's own `t`, or the Cleanup of one run of a property. */
export interface Teardown {
  teardown(end: () => Promise<void> | void): void;
}

export interface Cleanup extends Teardown {
  /** Ends everything, the last first. */
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const ends: (() => Promise<void> | void)[] = [];
  return {
    teardown: (end) => void ends.push(end),
    run: async () => {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}
