import { setImmediate } from 'node:timers/promises';

/**
 * Calls `visit` for each item, and lets the event loop serve others after every few of them: a mesh has tens of thousands
 * of objects and proxies, and a page must not delay the pushes to them.
 */
export async function visitInTurns<Item>(
  items: Iterable<Item>,
  atOnce: number,
  visit: (item: Item) => void,
): Promise<void> {
  let left = atOnce;
  for (const item of items) {
    visit(item);
    left--;
    if (left > 0) continue;
    left = atOnce;
    await setImmediate();
  }
}

/** Converts each item in turns. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  convert: (item: Item) => Result,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  await visitInTurns(items, atOnce, (item) => results.push(convert(item)));
  return results;
}
