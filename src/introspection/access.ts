import type { IncomingMessage } from 'node:http';
import { canonicalIpAddress, isLoopbackAddress } from '../base/ip-address.js';

/** The callers that may see pages with configuration. */
export interface AccessPolicy {
  /** Whether the caller may read configuration. */
  mayReadConfiguration(caller: Caller): boolean;
  /** Host names of the listeners in lower case, apart from `localhost` and IP addresses. */
  readonly ownNames: readonly string[];
}

/**
 * Decides on a request for a page with configuration (docs/security.md#what-navigator-guarantees). A web page in the
 * operator's browser also calls from loopback, so the function checks the headers of browsers too: `Host` (another name
 * may resolve to this address), `Origin` and `Sec-Fetch-Site` (a request of another site).
 *
 * @returns the reason to refuse with 403, or undefined.
 */
export function refusalOf(caller: Caller, policy: AccessPolicy): string | undefined {
  if (!policy.mayReadConfiguration(caller)) {
    return (
      'This page shows configuration. It answers only callers on the same machine, without a proxy between. ' +
      'Run `navigator-discovery request GET <path>` on that machine, or forward a local port to it.'
    );
  }
  if (!isOwnHost(caller, policy.ownNames)) {
    return 'The Host header names another server. Use localhost, a loopback address, or the address that the server listens on.';
  }
  if (caller.origin !== undefined && caller.origin.toLowerCase() !== `http://${caller.host.toLowerCase()}`) {
    return 'The request comes from a page of another origin, which may not read this page.';
  }
  if (caller.fetchSite !== undefined && caller.fetchSite !== 'same-origin' && caller.fetchSite !== 'none') {
    return 'The request comes from a page of another site. Enter the address in the browser instead.';
  }
  return undefined;
}

function isOwnHost(caller: Caller, ownNames: readonly string[]): boolean {
  const name = hostName(caller.host);
  if (name === undefined) return false;
  if (name === 'localhost' || name.endsWith('.localhost') || ownNames.includes(name)) return true;
  const address = plainAddress(name);
  return isLoopbackAddress(address) || (address !== '' && address === caller.localAddress);
}

/** The host of a Host header, without port, brackets and a final dot; undefined if it is malformed. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::[0-9]{1,5})?$/i.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}

/** The caller, as far as the connection and the request show it. */
export interface Caller {
  /** Address of the peer; empty if the connection is closed. IPv4 addresses are never in IPv6 form. */
  readonly peerAddress: string;
  /** The local address of the connection. */
  readonly localAddress: string;
  /** `Host` header with its port; empty if it is missing. */
  readonly host: string;
  readonly origin?: string;
  readonly fetchSite?: string;
  /** Whether the request came through a proxy. The peer is then not the caller. */
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
 * Whether the caller is on this machine. HTTP callers have no credentials, so only these may read configuration. A sidecar in
 * front of the server connects from loopback for any caller, so requests through a proxy do not count.
 */
export function isLoopbackCaller(caller: Caller): boolean {
  return !caller.relayed && isLoopbackAddress(caller.peerAddress);
}

/** Removes a zone (`%eth0`), and converts `::ffff:127.0.0.1` to 127.0.0.1. Other text stays the same. */
export function plainAddress(address: string): string {
  const [bare = ''] = address.split('%');
  return canonicalIpAddress(bare) ?? bare;
}
