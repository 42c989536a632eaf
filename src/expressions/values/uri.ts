import { areSameDnsNames } from './dns-name.js';
import { Failure } from './failure.js';
import { shownText } from './shown-text.js';

/** The parts of RFC 3986, appendix B. */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s;
const SCHEME = /^[a-z][a-z0-9+.-]*$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: URIs must not have them.
const CONTROL = /[\x00-\x1f\x7f]/;
const BAD_ESCAPE = /%(?![0-9a-f]{2})/i;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:[\] ]*)(?::(\d*))?$/;
const MAX_URI = 8192;

interface Parts {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly port: string;
  readonly hasAuthority: boolean;
  /** Path, query and fragment. */
  readonly rest: string;
}

/** Reads a URI or a reference to one. The result is the text as it is. */
export function readUri(text: string): string | Failure {
  return text !== '' && splitUri(text) !== undefined ? text : new Failure(`${shownText(text)} is not a URI`);
}

/** Compares URIs: schemes without case, hosts of `http` and `https` as DNS names, and the rest exactly. */
export function areSameUris(left: string, right: string): boolean | Failure {
  const [a, b] = [splitUri(left), splitUri(right)];
  if (a === undefined || b === undefined)
    return new Failure(`${shownText(a === undefined ? left : right)} is not a URI`);
  const isWeb = a.scheme === 'http' || a.scheme === 'https';
  return (
    a.scheme === b.scheme &&
    a.hasAuthority === b.hasAuthority &&
    a.user === b.user &&
    (isWeb ? areSameDnsNames(a.host, b.host) : a.host === b.host) &&
    a.port === b.port &&
    a.rest === b.rest
  );
}

function splitUri(text: string): Parts | undefined {
  if (text.length > MAX_URI || CONTROL.test(text)) return undefined;
  const [, scheme = '', authority, path = '', query = '', fragment = ''] = PARTS.exec(text) ?? [];
  const isScheme = scheme === '' ? !text.startsWith(':') : SCHEME.test(scheme);
  if (!isScheme || BAD_ESCAPE.test(path)) return undefined;
  const hostStart = (authority ?? '').lastIndexOf('@') + 1;
  const hostAndPort = HOST_AND_PORT.exec((authority ?? '').slice(hostStart));
  if (hostAndPort === null) return undefined;
  const [, host = '', port = ''] = hostAndPort;
  return {
    scheme: scheme.toLowerCase(),
    user: (authority ?? '').slice(0, hostStart),
    host,
    port,
    hasAuthority: authority !== undefined,
    rest: `${path}${query}${fragment}`,
  };
}
