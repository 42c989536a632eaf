import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../base/clock.js';
import { formatListenAddress, type ListenAddress } from '../../net/listen-address.js';
import type { UpstreamServer } from './exchange.js';
import { createStreamServer } from './stream-server.js';
import { createUdpServer } from './udp-server.js';

const DNS_PORT = 53;

/** The servers of the system's resolver settings, read at the time of the call. */
export function systemServers(): readonly ListenAddress[] {
  return new Resolver().getServers().map((text) => {
    const match = /^\[(.*)\]:([0-9]+)$/.exec(text) ?? /^([^:]+):([0-9]+)$/.exec(text);
    return match === null ? { host: text, port: DNS_PORT } : { host: match[1] ?? '', port: Number(match[2]) };
  });
}

/**
 * A server that is asked over UDP, and over TCP when a response is truncated.
 *
 * @param maxSockets queries that wait over UDP at the same time; default 4,000
 */
export function createPlainServer(address: ListenAddress, clock: Clock, maxSockets?: number): UpstreamServer {
  const overTcp = createStreamServer({
    name: formatListenAddress(address),
    connect: () => connectTcp(address),
    clock,
  });
  return createUdpServer(address, overTcp, clock, maxSockets);
}

/**
 * A server that is asked over TLS. Its certificate must have the host as a name or address.
 *
 * @param rootsFile PEM file of the roots, read again for each connection; empty: the roots of Node.js
 */
export function createTlsServer(address: ListenAddress, rootsFile: string, clock: Clock): UpstreamServer {
  return createStreamServer({
    name: `tcp-tls:${formatListenAddress(address)}`,
    connect: () =>
      connectTls({
        ...address,
        ...(rootsFile === '' ? {} : { ca: readFileSync(rootsFile) }),
        minVersion: 'TLSv1.2',
      }),
    clock,
  });
}
