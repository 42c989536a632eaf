import type { Clock } from '../../base/clock.js';
import { CLIENT_COUNTERS, type ClientCounter, type ClientStatisticsSnapshot } from '../client/client-statistics.js';
import {
  type CallOptions,
  type PolicyTransport,
  PolicyTransportError,
  type ReportRequest,
} from '../client/policy-transport.js';
import type { TransportConfig } from '../client/transport-config.js';
import type { PolicyHandler } from '../handlers/policy-handler.js';
import { type CacheSwitches, createPolicyClients } from './policy-clients.js';

export interface RemoteHandlerOptions {
  readonly transport: PolicyTransport;
  /** The caches and batches that are off for this server, also for proxies that want them. */
  readonly switches?: CacheSwitches | undefined;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes a UUID. */
  readonly createId: () => string;
  /** Gets the increase of a client counter. */
  readonly onCounted: (counter: ClientCounter, by: number) => void;
  /** Gets the number of reports in a failed call. */
  readonly onReportsLost: (reports: number, error: unknown) => void;
  /** Ends the connection to the server, after the last report. */
  readonly disconnect?: () => void;
}

/** Batches of reports that come before the first check have the default sizes. */
const DEFAULT_TRANSPORT: TransportConfig = {};

/**
 * The handler that asks a `mesh.policy.v1` server through the client library, with caches, retries, the fail policy and
 * reports in batches. Checks of other policy servers are passed on unchanged, because those servers have their own
 * caches.
 */
export function createRemoteHandler(options: RemoteHandlerOptions): PolicyHandler {
  const { transport, switches, onReportsLost, disconnect } = options;
  const clients = createPolicyClients(
    { transport: boundReports(transport, onReportsLost), switches },
    { ...options, countersOf: createClientCounters(options.onCounted) },
  );
  // Access logs do not contain the batch sizes of their proxy. Checks do, and all proxies have them from one mesh
  // config.
  let lastTransport = DEFAULT_TRANSPORT;
  return {
    name: 'remote',
    check: ({ attributes, quotas, deduplicationId, failPolicy, transport: wanted }) => {
      lastTransport = wanted;
      const service = { networkFailPolicy: failPolicy };
      return clients.clientFor(wanted).check({ attributes, quotas, deduplicationId, service });
    },
    answer: (request, call) => transport.check(request, call),
    report: (report) => clients.clientFor(lastTransport).report(report),
    close: async () => {
      await clients.close();
      disconnect?.();
    },
  };
}

/** Takes the counters of one client, as they are at the moment. */
export type ClientCountersPublisher = (snapshot: ClientStatisticsSnapshot) => void;

/**
 * Adds up the counters of many clients. Clients come and go with their configurations; the sums only rise.
 *
 * @param count gets the increase of a counter
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

/** The number of report calls at once. Without a bound, a server that takes no reports would fill the memory. */
const MAX_CALLS = 64;

/**
 * Limits the report calls of a transport. Calls above the limit fail at once instead of waiting.
 *
 * @param onLost gets the number of reports in each failed call
 * @param maxCalls 64 unless given
 */
function boundReports(
  transport: PolicyTransport,
  onLost: (reports: number, error: unknown) => void,
  maxCalls = MAX_CALLS,
): PolicyTransport {
  let calls = 0;
  const send = async (request: ReportRequest, options: CallOptions): Promise<void> => {
    if (calls >= maxCalls) throw new PolicyTransportError('send', `${maxCalls} report calls are under way already`);
    calls++;
    try {
      // A call that the client has given up does not count, even if the transport never ends it.
      await Promise.race([transport.report(request, options), givenUp(options.signal)]);
    } finally {
      calls--;
    }
  };
  return {
    check: (request, options) => transport.check(request, options),
    async report(request, options) {
      try {
        await send(request, options);
      } catch (error) {
        onLost(request.attributes.length, error);
        throw error;
      }
    },
  };
}

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new PolicyTransportError('timeout', 'the report call took too long'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
