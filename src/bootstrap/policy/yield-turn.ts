/** Settles after other work of the process had its turn. */
export const yieldTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
