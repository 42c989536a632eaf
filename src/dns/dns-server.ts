import type { Clock } from '../base/clock.js';
import type { PushContext } from '../model/push-context.js';
import { formatListenAddress, type ListenAddress } from '../net/listen-address.js';
import type { TlsMaterialSource } from '../net/tls-material.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import { createAnswerCache } from './answer-cache.js';
import { createClientLimits, type DnsLimits } from './client-limits.js';
import { createStreamListener } from './listen/stream-listener.js';
import { createUdpListener } from './listen/udp-listener.js';
import { createClientDirectory } from './mesh/client-directory.js';
import { createResolver } from './resolver.js';
import { createForwarder } from './upstream/forwarder.js';
import { createServerList, type UpstreamSettings } from './upstream/server-list.js';

export interface DnsSettings extends DnsLimits, UpstreamSettings {
  readonly address: ListenAddress;
  /** Bytes of responses of upstream servers; 0 keeps none. */
  readonly cacheBytes: number;
  /** Time for the answer of upstream servers. */
  readonly timeoutMs: number;
  /** A TCP connection without a query in this time is closed. */
  readonly idleMs: number;
}

export interface DnsServerParts {
  readonly settings: DnsSettings;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The DNS listener: answers names of the mesh, and asks upstream servers for other names. */
export interface DnsServer {
  /** Takes the names of a snapshot. */
  observe(context: PushContext): void;
  /**
   * Opens the listener over UDP and TCP.
   *
   * @param material certificate for DNS over TLS
   * @returns the address, with the port that the system chose
   * @throws the error of the system
   */
  start(material: TlsMaterialSource): Promise<ListenAddress>;
  stop(): Promise<void>;
}

/** How often another port is tried if the system chose one that is in use over TCP. */
const PORT_ATTEMPTS = 10;

export function createDnsServer({ settings, metrics, logger, clock, random }: DnsServerParts): DnsServer {
  const log = createSubjectLog(logger, clock);
  const limits = createClientLimits(
    settings,
    (reached, times = 1) => {
      const { client, limit } = reached;
      metrics.increment('nav_dns_limits_reached_total', { limit }, times);
      log.warn(`${client} ${limit}`, { ...reached }, 'DNS limit reached');
    },
    clock,
  );
  const directory = createClientDirectory(clock);
  const servers = createServerList(settings, log, clock);
  let context: PushContext | undefined;
  const resolver = createResolver({
    context: () => context,
    directory,
    cache: createAnswerCache(settings.cacheBytes, clock),
    forwarder: createForwarder({ servers: servers.list, timeoutMs: settings.timeoutMs, metrics, log, clock }),
    servers: servers.list,
    limits,
    metrics,
    log,
    logger,
    random,
  });
  const udp = createUdpListener(resolver, limits, clock);
  let streams: ReturnType<typeof createStreamListener> | undefined;

  /** Both listeners need the same port. */
  const listen = async (stream: NonNullable<typeof streams>, attempts: number): Promise<ListenAddress> => {
    const { host, port } = settings.address;
    const bound = await udp.listen(host, port);
    try {
      await stream.listen(host, bound);
      return { host, port: bound };
    } catch (error) {
      await udp.close();
      if (port !== 0 || attempts <= 1) throw error;
      return listen(stream, attempts - 1);
    }
  };

  return {
    observe: (next) => {
      context = next;
      directory.observe(next);
    },
    start: async (material) => {
      streams = createStreamListener({ resolver, limits, material, idleMs: settings.idleMs, metrics, log, clock });
      const address = await listen(streams, PORT_ATTEMPTS);
      servers.listensAt(address);
      const upstream = servers.list().map(({ name }) => name);
      logger.info({ dns: formatListenAddress(address), upstream }, 'DNS listener is open');
      return address;
    },
    stop: async () => {
      directory.stop();
      servers.stop();
      const closed = Promise.all([udp.close(), streams?.close()]);
      streams?.hangUp();
      await closed;
    },
  };
}
