import { CLIENT_COUNTERS, type ClientCounter, type ClientStatisticsSnapshot } from '../client/client-statistics.js';

/** Takes the counters of one client, as they are at the moment. */
export type ClientCountersPublisher = (snapshot: ClientStatisticsSnapshot) => void;

/**
 * Adds the counters of many clients up (BEHAVIOUR 6, "Client counters"): clients come and go with their configurations,
 * the sums only rise.
 *
 * @param count gets by how much a counter has risen
 * @returns a function that makes the publisher of a client
 */
export function createClientCounters(
  count: (counter: ClientCounter, by: number) => void,
): () => ClientCountersPublisher {
  return () => {
    let last: Partial<ClientStatisticsSnapshot> = {};
    return (snapshot) => {
      for (const counter of CLIENT_COUNTERS) {
        const by = snapshot[counter] - (last[counter] ?? 0);
        if (by > 0) count(counter, by);
      }
      last = snapshot;
    };
  };
}
