let last: Promise<unknown> = Promise.resolve();

/**
 * Servers of one test process start one after another: dozens of tests that begin together would take each other's
 * processor time until the last of them had waited for longer than any of them may.
 */
export function startInTurn<Started>(start: () => Promise<Started>): Promise<Started> {
  const started = last.then(start, start);
  last = started.catch(() => undefined);
  return started;
}
