import type { Clock } from '../base/clock.js';
import type { ServerCertificateSource } from '../ca/server-certificate/server-certificate-source.js';
import { createTlsMaterialSource } from '../ca/server-certificate/tls-material-source.js';
import { createDnsServer, type DnsSettings } from '../dns/dns-server.js';
import { systemServers } from '../dns/upstream/upstream-servers.js';
import type { PushContext } from '../model/push-context.js';
import { formatListenAddress, ListenError } from '../net/listen-address.js';
import type { TlsMaterialSource } from '../net/tls-material.js';
import type { Logging } from '../telemetry/logging.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { ListenAddress, Options } from './options.js';

export interface DnsServingParts {
  readonly options: Options;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The DNS listener of the process. */
export interface DnsServing {
  observe(context: PushContext): void;
  /**
   * Settles with the address, or with undefined if the listener is closed: DNS_ADDR is empty, or another process uses the
   * default address. The proxies of the mesh do not depend on this listener, so its default address does not end a start.
   *
   * @param certificate for DNS over TLS; undefined where nothing is served over TLS
   * @throws ListenError
   */
  start(certificate: ServerCertificateSource | undefined): Promise<ListenAddress | undefined>;
  stop(): Promise<void>;
}

const CLOSED: DnsServing = {
  observe: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
};
const NO_MATERIAL: TlsMaterialSource = { current: () => undefined, onChange: () => () => undefined };

export function createDnsServing({ options, metrics, logging, clock }: DnsServingParts): DnsServing {
  const address = options.environment.dnsAddr;
  if (address === undefined) return CLOSED;
  const logger = logging.scope('dns');
  const settings = dnsSettings(options, address);
  const server = createDnsServer({ settings, metrics, logger, clock, random: Math.random });
  return {
    observe: server.observe,
    start: async (certificate) => {
      const material = certificate === undefined ? NO_MATERIAL : createTlsMaterialSource(certificate);
      try {
        return await server.start(material);
      } catch (cause) {
        const error = new ListenError('DNS_ADDR', address, cause as NodeJS.ErrnoException);
        if (options.explicit.has('DNS_ADDR') || error.code !== 'EADDRINUSE') throw error;
        const setting = 'DNS_ADDR';
        logger.warn(
          { address: formatListenAddress(address), setting },
          'DNS listener is closed: its address is in use',
        );
        return undefined;
      }
    },
    stop: server.stop,
  };
}

/** The variables of the DNS listener. @param address of the listener */
export function dnsSettings({ environment }: Options, address: ListenAddress): DnsSettings {
  return {
    address,
    tlsServer: environment.dnsServer,
    rootsFile: environment.navDnsServerCaFile,
    systemServers,
    cacheBytes: environment.navDnsCacheBytes,
    timeoutMs: environment.navDnsTimeoutMs,
    idleMs: environment.navDnsTcpIdleTimeoutMs,
    answersPerSecond: environment.navDnsAnswersPerSecond,
    clientAnswersPerSecond: environment.navDnsClientAnswersPerSecond,
    maxQueries: environment.navDnsMaxQueries,
    maxConnections: environment.navDnsMaxConnections,
  };
}
