/** Shares the time that rendering pages may take of the event loop. */
export interface RenderTurns {
  /** Settles when the caller may hold the event loop for one slice. */
  next(): Promise<void>;
  /**
   * Counts a page that is being rendered and read.
   *
   * @returns ends it; undefined when there are too many.
   */
  open(): (() => void) | undefined;
}

/** Pages that show configuration, rendered and read at once. Each holds one chunk of text. */
export const MAX_OPEN_PAGES = 32;

/**
 * Gives one slice in each turn of the event loop, whatever number of pages is rendered: with a slice for each page in
 * each turn, thirty readers of large pages would hold up everything else for 150 ms at a time.
 */
export function createRenderTurns(): RenderTurns {
  const waiting: (() => void)[] = [];
  let isRunning = false;
  let open = 0;
  const giveNext = (): void => {
    const give = waiting.shift();
    isRunning = give !== undefined;
    if (give === undefined) return;
    give();
    setImmediate(giveNext);
  };
  return {
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (isRunning) return;
        isRunning = true;
        setImmediate(giveNext);
      }),
    open: () => {
      if (open >= MAX_OPEN_PAGES) return undefined;
      open++;
      let isOpen = true;
      return () => {
        if (isOpen) open--;
        isOpen = false;
      };
    },
  };
}
