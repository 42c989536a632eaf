const FAMILY = 'nodejs_eventloop_lag_max_seconds';

/**
 * Reads the longest block of a server's event loop since its metrics were read before, in milliseconds. Node looks every
 * 10 ms, and these count.
 *
 * @throws Error when the server does not answer, or has no such metric
 */
export async function readLongestBlockMs(monitoringPort: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${monitoringPort}/metrics`);
  return findLongestBlockMs(await response.text());
}

/** @throws RangeError when the text has no such metric */
export function findLongestBlockMs(metrics: string): number {
  const line = metrics.split('\n').find((each) => each.startsWith(`${FAMILY} `));
  if (line === undefined) throw new RangeError(`The server's metrics have no ${FAMILY}.`);
  return Number(line.slice(FAMILY.length)) * 1000;
}
