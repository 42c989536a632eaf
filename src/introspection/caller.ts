import type { IncomingMessage } from 'node:http';
import { canonicalIpAddress, isLoopbackAddress } from '../base/ip-address.js';

/** Who asks, as far as the connection and the request say. */
export interface Caller {
  /** Address of the other end; empty when the connection is gone. IPv4 in its own form, never mapped. */
  readonly peerAddress: string;
  /** The address of ours that was connected to. */
  readonly localAddress: string;
  /** Host header, with its port; empty when absent. */
  readonly host: string;
  readonly origin?: string;
  readonly fetchSite?: string;
  /** The request came through a proxy, so the other end of the connection is not who asks. */
  readonly relayed: boolean;
}

const RELAY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

export function callerOf(request: IncomingMessage): Caller {
  const { origin, host } = request.headers;
  const fetchSite = request.headers['sec-fetch-site'];
  return {
    peerAddress: plainAddress(request.socket.remoteAddress ?? ''),
    localAddress: plainAddress(request.socket.localAddress ?? ''),
    host: host ?? '',
    relayed: RELAY_HEADERS.some((name) => request.headers[name] !== undefined),
    ...(origin === undefined ? {} : { origin }),
    ...(fetchSite === undefined ? {} : { fetchSite: String(fetchSite) }),
  };
}

/**
 * The callers that may read configuration while nobody is authenticated over HTTP: those on this machine. A
 * sidecar in front of the server connects from loopback too, for anybody, hence no relayed requests.
 */
export function isLoopbackCaller(caller: Caller): boolean {
  return !caller.relayed && isLoopbackAddress(caller.peerAddress);
}

/** `::ffff:127.0.0.1` is 127.0.0.1; a zone (`%eth0`) is no part of the address. Anything else stays as it is. */
export function plainAddress(address: string): string {
  const [bare = ''] = address.split('%');
  return canonicalIpAddress(bare) ?? bare;
}
