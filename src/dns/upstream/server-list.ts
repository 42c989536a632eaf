import { networkInterfaces } from 'node:os';
import type { Clock } from '../../base/clock.js';
import { canonicalIpAddress, isLoopbackAddress } from '../../base/ip-address.js';
import { formatListenAddress, type ListenAddress } from '../../net/listen-address.js';
import type { SubjectLog } from '../../telemetry/subject-log.js';
import type { UpstreamServer } from './exchange.js';
import { createPlainServer, createTlsServer } from './upstream-servers.js';

export interface UpstreamSettings {
  /** The server that is asked over TLS; undefined: those of the system's resolver settings. */
  readonly tlsServer: ListenAddress | undefined;
  /** PEM file of the roots that verify it; empty: the roots of Node.js. */
  readonly rootsFile: string;
  /** The servers of the system's resolver settings. */
  readonly systemServers: () => readonly ListenAddress[];
}

/** The upstream servers. */
export interface ServerList {
  list(): readonly UpstreamServer[];
  /** Leaves out this address, at which this process answers itself. */
  listensAt(address: ListenAddress): void;
  stop(): void;
}

/** How often the resolver settings are read again. */
const REREAD_MS = 30_000;

export function createServerList(
  { tlsServer, rootsFile, systemServers }: UpstreamSettings,
  log: SubjectLog,
  clock: Clock,
): ServerList {
  let own: ListenAddress | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  let known = new Map<string, UpstreamServer>();
  let list: readonly UpstreamServer[] = [];

  const isOwn = (address: ListenAddress): boolean => {
    if (own === undefined || !isSameListener(address, own)) return false;
    const server = formatListenAddress(address);
    log.warn(server, { server }, 'upstream DNS server is this process and is not asked');
    return true;
  };
  const open = (address: ListenAddress): UpstreamServer =>
    tlsServer === undefined ? createPlainServer(address, clock) : createTlsServer(address, rootsFile, clock);

  const read = (): void => {
    const next = new Map<string, UpstreamServer>();
    for (const address of tlsServer === undefined ? systemServers() : [tlsServer]) {
      const key = formatListenAddress(address);
      if (!isOwn(address)) next.set(key, known.get(key) ?? open(address));
    }
    for (const [key, server] of known) if (!next.has(key)) server.stop();
    known = next;
    list = [...next.values()];
  };

  return {
    list: () => {
      const nowMs = clock.monotonicMs();
      if (nowMs - readMs >= REREAD_MS) {
        readMs = nowMs;
        read();
      }
      return list;
    },
    listensAt: (address) => {
      own = address;
      readMs = Number.NEGATIVE_INFINITY;
    },
    stop: () => {
      for (const server of known.values()) server.stop();
    },
  };
}

/** Whether queries to the address arrive at the listener. */
function isSameListener({ host, port }: ListenAddress, own: ListenAddress): boolean {
  if (port !== own.port) return false;
  const address = canonicalIpAddress(host);
  if (address === undefined) return false;
  const isWildcard = own.host === '' || own.host === '0.0.0.0' || own.host === '::';
  if (!isWildcard) return canonicalIpAddress(own.host) === address;
  const local = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return isLoopbackAddress(address) || local.some((each) => canonicalIpAddress(each.address) === address);
}
