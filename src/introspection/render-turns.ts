/** Limits the share of the event loop that rendering pages may take. */
export interface RenderTurns {
  /** Resolves when the caller may use the event loop for one slice. */
  next(): Promise<void>;
  /**
   * Counts a page from the start of its rendering to the end of its transfer.
   *
   * @returns a function that ends the count; undefined if too many pages are open.
   */
  open(): (() => void) | undefined;
}

/** Maximum open pages with configuration. Each keeps one chunk of text in memory. */
export const MAX_OPEN_PAGES = 32;

/**
 * Grants one slice in each turn of the event loop, for all pages together. With a slice for each page, thirty readers of
 * large pages would block the event loop for 150 ms at a time.
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
