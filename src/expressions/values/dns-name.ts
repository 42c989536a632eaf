import { domainToASCII } from 'node:url';
import { Failure } from './failure.js';
import { shownText } from './shown-text.js';

const MAX_NAME = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const ASCII = /^[\x20-\x7e]*$/;

/** Reads a DNS name: letters, digits and hyphens, or an internationalized name. It may end with a dot. */
export function readDnsName(text: string): string | Failure {
  const ascii = asciiName(text);
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  const isValid = name.length <= MAX_NAME && name.split('.').every((label) => LABEL.test(label));
  return isValid ? text : new Failure(`${shownText(text)} is not a DNS name`);
}

/** Compares names without case, and without a dot at the end. */
export function areSameDnsNames(left: string, right: string): boolean {
  return left === right || canonicalName(left) === canonicalName(right);
}

function canonicalName(text: string): string {
  const name = asciiName(text).toLowerCase();
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Names in ASCII stay as they are: `domainToASCII` would read some of them as IPv4 addresses. */
function asciiName(text: string): string {
  return ASCII.test(text) ? text : domainToASCII(text);
}
