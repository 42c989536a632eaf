import type { Clock } from '../base/clock.js';
import { formatListenAddress } from '../net/listen-address.js';
import type { Logging } from '../telemetry/logging.js';
import { createDiscoveryParts } from './discovery-parts.js';
import type { ListenAddress, Options } from './options.js';
import { StartError } from './start-error.js';

/** Addresses of a running server, with the ports that the system chose for port 0. */
export interface ServedAddresses {
  /** Undefined where --grpcAddr is empty. */
  readonly grpc: ListenAddress | undefined;
  readonly http: ListenAddress;
  readonly monitoring: ListenAddress;
  readonly policy: ListenAddress;
  /** Undefined where nothing is served over TLS. */
  readonly secureGrpc: ListenAddress | undefined;
  /** Undefined where no cluster is read: only API servers call the webhooks. */
  readonly https: ListenAddress | undefined;
  /** Undefined where DNS_ADDR is empty, or its default is in use. */
  readonly dns: ListenAddress | undefined;
}

/** The discovery server, wired and not yet running. */
export interface DiscoveryServer {
  /**
   * Reads the sources, then serves. Settles when every listener serves.
   *
   * @throws StartError when a source can never deliver, ListenError when an address cannot be opened
   */
  start(): Promise<ServedAddresses>;
  /** Keeps serving and reports not ready, until callers have left (--drainTime). `stop` ends it. */
  drain(): Promise<void>;
  /**
   * Ends streams gracefully and closes all parts. It can be called during a start, which then fails, and before one.
   */
  stop(): Promise<void>;
}

/** Time for streams to end by themselves, in milliseconds. */
const STOP_GRACE_MS = 10_000;

/** Starts and stops the parts of the discovery process, in the order of the functions below. */
export function createDiscoveryServer(options: Options, logging: Logging, clock: Clock): DiscoveryServer {
  const parts = createDiscoveryParts(options, logging, clock);
  const { cluster, keeper, sources, submit, keySets, apiKeys, analysis, policy, proxies, status, secure } = parts;
  const { webhooks, drain, dns, http, monitoring, introspection, instances, tracing, apiStatuses } = parts;
  const { environment } = options;
  const logger = logging.scope('default');
  let isStopping = false;
  let starting: Promise<ServedAddresses> | undefined;
  let opening: Promise<unknown> | undefined;

  const startSecured = async () => {
    const secured = await secure.start();
    const https = secured && (await webhooks.start(secured.certificate));
    return { secureGrpc: secured?.address, https, dns: await dns.start(secured?.certificate) };
  };

  const start = async (): Promise<ServedAddresses> => {
    const startMs = clock.monotonicMs();
    const grpc = await proxies.start();
    await sources.start(submit);
    if (isStopping) throw new StartError('the server was told to stop while it started');
    // All listeners open before the first proxy is served: an address that is in use ends the start.
    const listening = [policy.start(), startSecured(), http.start(), monitoring.start()] as const;
    opening = Promise.allSettled(listening);
    const [policyAddress, secured, httpAddress, monitoringAddress] = await Promise.all(listening);
    await Promise.all([keySets.fetchFirst(), apiKeys.readFirst()]);
    proxies.setServing();
    secure.setServing();
    policy.setServing(true);
    if (cluster === undefined && environment.navEnableStatus) {
      logger.warn({}, 'NAV_ENABLE_STATUS writes to a cluster, and none is read');
    }
    await status?.start();
    for (const each of apiStatuses) await each.start();
    await introspection.start();
    const addresses = { grpc, http: httpAddress, monitoring: monitoringAddress, policy: policyAddress, ...secured };
    const startedMs = Math.round(clock.monotonicMs() - startMs);
    logReady(addresses, proxies.distributor.context?.services.length ?? 0, startedMs);
    return addresses;
  };

  const logReady = (addresses: ServedAddresses, services: number, startMs: number): void => {
    const { grpc, secureGrpc, https, dns: name } = addresses;
    logger.info(
      {
        services,
        ...(grpc && { grpc: formatListenAddress(grpc) }),
        http: [addresses.http, addresses.monitoring].map(formatListenAddress),
        policy: formatListenAddress(addresses.policy),
        ...(secureGrpc && { secureGrpc: formatListenAddress(secureGrpc) }),
        ...(https && { https: formatListenAddress(https) }),
        ...(name && { dns: formatListenAddress(name) }),
        startMs,
      },
      'discovery server is ready',
    );
  };

  return {
    start: () => {
      starting = start();
      return starting;
    },
    drain: () => {
      // Discovery streams stay open: over them, proxies learn the new address of the policy server.
      policy.setServing(false);
      return drain.begin();
    },
    stop: async () => {
      isStopping = true;
      drain.cancel();
      keeper.stop();
      proxies.stopPushes();
      analysis.stop();
      keySets.stop();
      const statusStopped = status?.stop();
      const apiStatusesStopped = apiStatuses.map((each) => each.stop());
      await apiKeys.stop();
      await sources.stop();
      // A running start can have opened parts, which are closed too. Its caller gets its error.
      await starting?.catch(() => undefined);
      // A start fails with its first error, while other listeners still open.
      await opening;
      await Promise.all([
        proxies.stop(STOP_GRACE_MS),
        policy.stop(STOP_GRACE_MS),
        webhooks.stop(),
        dns.stop(),
        secure.stop(STOP_GRACE_MS),
        http.stop(),
        monitoring.stop(),
        introspection.stop(),
        statusStopped,
        ...apiStatusesStopped,
        tracing?.stop(),
      ]);
      instances.close();
      cluster?.close();
    },
  };
}
