import { isIpAddress } from '../base/ip-address.js';

/**
 * The syntaxes of names and addresses in fields (docs/reference/validation-rules.md#primitives). All checks take time
 * linear in the text.
 */

const MAX_LABEL = 63;
const MAX_FQDN = 255;
const MAX_SUBDOMAIN = 253;
const LABEL = /^[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?$/;
const QUALIFIED = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?$/;
const LOWER_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** A DNS label: at most 63 letters, digits and inner hyphens. */
export function isDnsLabel(text: string): boolean {
  return text.length <= MAX_LABEL && LABEL.test(text);
}

/** An object name as the API server accepts it: lower-case labels separated by dots, at most 253 characters. */
export function isObjectName(text: string): boolean {
  return text.length <= MAX_SUBDOMAIN && LOWER_SUBDOMAIN.test(text);
}

/** A fully qualified domain name; a trailing dot is allowed, a last label of digits alone is not. */
export function isFqdn(text: string): boolean {
  if (text.length > MAX_FQDN) return false;
  const labels = (text.endsWith('.') ? text.slice(0, -1) : text).split('.');
  return labels.every(isDnsLabel) && !/^\d+$/.test(labels.at(-1) ?? '');
}

/** A host to match: an FQDN whose first label may be `*`, but not `*` alone. */
export function isHost(text: string): boolean {
  return isFqdn(text.startsWith('*.') ? text.slice(2) : text);
}

/** A label key: a name of at most 63 characters, with an optional `dns.name/` before it. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  const name = text.slice(slash + 1);
  const isPrefixGood = slash === -1 || isObjectName(text.slice(0, slash));
  return isPrefixGood && name.length <= MAX_LABEL && QUALIFIED.test(name);
}

/** A label value: at most 63 characters, may be empty. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= MAX_LABEL && QUALIFIED.test(text));
}

/** `unix:///absolute/path`, or `unix://@name` for a socket in the abstract namespace. */
export function isUnixAddress(text: string): boolean {
  return /^unix:\/\/(?:\/[^\0]|@[^\0])/.test(text);
}

/** `host:port`, where host is an FQDN, an IPv4 address or an IPv6 address in brackets. */
export function isHostAndPort(text: string): boolean {
  const colon = text.lastIndexOf(':');
  const port = text.slice(colon + 1);
  if (colon < 1 || !/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65535) return false;
  const host = text.slice(0, colon);
  if (host.startsWith('[') && host.endsWith(']')) return host.includes(':') && isIpAddress(host.slice(1, -1));
  return isFqdn(host) || (isIpAddress(host) && !host.includes(':'));
}
