import { isIpAddress } from '../../base/ip-address.js';
import { type HeaderMap, headerMapOf } from '../../policy/client/header-map.js';

/** The request that a user asks about. */
export interface AskedRequest {
  readonly method: string;
  /** Host of the URL, or of the header `Host`, without port. */
  readonly host: string;
  /** 80, 443 for https, or the port of the URL. */
  readonly port: number;
  /** Path and query. */
  readonly target: string;
  readonly scheme: string;
  readonly headers: HeaderMap;
  /** `<namespace>/<service account>` of the caller; undefined: the caller has no certificate. */
  readonly caller?: { readonly namespace: string; readonly account: string };
  /** Address that the connection comes from; undefined if it is not known. */
  readonly sourceIp?: string;
}

/** A method, URL or header that cannot be used. The message has the remedy. */
class AskedRequestError extends Error {
  override readonly name = 'AskedRequestError';
  readonly code = 'BAD_REQUEST';
}

const SCHEMES: readonly string[] = ['http:', 'https:'];

/**
 * Reads a method, a URL and `Name: value` headers as curl takes them.
 *
 * @throws AskedRequestError
 */
export function readAskedRequest(
  method: string,
  url: string,
  headers: readonly string[],
  caller: string,
  sourceIp: string,
): AskedRequest {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  if (!/^[A-Za-z-]+$/.test(method))
    throw new AskedRequestError(`${JSON.stringify(method)} is not a method, such as GET`);
  if (!URL.canParse(text))
    throw new AskedRequestError(`${JSON.stringify(url)} is not a URL, such as http://web.shop/books`);
  const { hostname, port, pathname, search, protocol } = new URL(text);
  if (!SCHEMES.includes(protocol)) {
    const scheme = JSON.stringify(protocol.slice(0, -1));
    throw new AskedRequestError(
      `${JSON.stringify(url)} has the scheme ${scheme}; the supported ones are http and https`,
    );
  }
  const map = headerMapOf(headers.map(readHeader));
  const [host = hostname] = (map.get('host') ?? hostname).split(':');
  const [namespace = '', account = '', ...rest] = caller.split('/');
  if (caller !== '' && (namespace === '' || account === '' || rest.length > 0)) {
    throw new AskedRequestError('--from must be <namespace>/<service account> of the caller, such as shop/web');
  }
  if (sourceIp !== '' && !isIpAddress(sourceIp)) {
    throw new AskedRequestError(`${JSON.stringify(sourceIp)} is not an IP address of a caller, such as 10.0.0.7`);
  }
  return {
    method: method.toUpperCase(),
    host: host.toLowerCase(),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    target: pathname + search,
    scheme: protocol.slice(0, -1),
    headers: map,
    ...(caller === '' ? {} : { caller: { namespace, account } }),
    ...(sourceIp === '' ? {} : { sourceIp }),
  };
}

function readHeader(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new AskedRequestError(`header ${JSON.stringify(text)} must have the form "Name: value"`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}
