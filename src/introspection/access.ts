import { isLoopbackAddress } from '../base/ip-address.js';
import { type Caller, plainAddress } from './caller.js';

/** Who may see pages that show configuration. */
export interface AccessPolicy {
  /** The one place that says who may read: loopback callers today, authenticated ones later. */
  mayReadConfiguration(caller: Caller): boolean;
  /** Host names of the listeners beside `localhost` and their addresses, lower case. */
  readonly ownNames: readonly string[];
}

/**
 * Decides on a request for a page that shows configuration (DESIGN 8). Beside the caller itself it checks
 * what a browser says, for a web page that the operator happens to visit calls from loopback as well: the
 * Host (another name that resolves to us), the Origin and Sec-Fetch-Site (another site's request).
 *
 * @returns the reason to refuse (403), or undefined.
 */
export function refusalOf(caller: Caller, policy: AccessPolicy): string | undefined {
  if (!policy.mayReadConfiguration(caller)) {
    return (
      'This page shows configuration and answers only callers on the same machine, not through a proxy. ' +
      'Use `navigator-discovery request GET <path>` there, or forward a local port to it.'
    );
  }
  if (!isOwnHost(caller, policy.ownNames)) {
    return 'The Host header names another server. Use localhost, a loopback address, or the address that the server listens on.';
  }
  if (caller.origin !== undefined && caller.origin.toLowerCase() !== `http://${caller.host.toLowerCase()}`) {
    return 'The request comes from a page of another origin, which may not read this one.';
  }
  if (caller.fetchSite !== undefined && caller.fetchSite !== 'same-origin' && caller.fetchSite !== 'none') {
    return 'The request comes from a page of another site. Open the address in the browser itself.';
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

/** The host of a Host header, without port, brackets and a final dot; undefined when malformed. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::[0-9]{1,5})?$/i.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}
