import { areSameDnsNames, readDnsName } from './dns-name.js';
import { Failure } from './failure.js';
import { shownText } from './shown-text.js';

const DOT_ATOM = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const QUOTED = /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/;

interface Parts {
  /** Without quotes. */
  readonly local: string;
  readonly domain: string;
}

/** Reads the address of RFC 5322 without a display name. The result is the text as it is. */
export function readEmailAddress(text: string): string | Failure {
  return splitAddress(text) === undefined ? new Failure(`${shownText(text)} is not an e-mail address`) : text;
}

/** Compares the part before the @ exactly, without its quotes, and the part after it as DNS names. */
export function areSameEmailAddresses(left: string, right: string): boolean | Failure {
  const [a, b] = [splitAddress(left), splitAddress(right)];
  if (a === undefined || b === undefined) {
    return new Failure(`${shownText(a === undefined ? left : right)} is not an e-mail address`);
  }
  return a.local === b.local && areSameDnsNames(a.domain, b.domain);
}

function splitAddress(text: string): Parts | undefined {
  const trimmed = text.trim();
  const address = trimmed.startsWith('<') && trimmed.endsWith('>') ? trimmed.slice(1, -1) : trimmed;
  const at = address.lastIndexOf('@');
  if (at < 1) return undefined;
  const local = unquoted(address.slice(0, at));
  const domain = address.slice(at + 1);
  return local === undefined || readDnsName(domain) instanceof Failure ? undefined : { local, domain };
}

function unquoted(local: string): string | undefined {
  if (DOT_ATOM.test(local)) return local;
  return QUOTED.test(local) ? local.slice(1, -1).replaceAll(/\\(.)/g, '$1') : undefined;
}
