import { escapeRegex } from '../../base/escape-regex.js';
import { isRecord } from '../../base/record.js';
import { credentialHash } from '../../policy/quota/credential-hash.js';
import { CREDENTIAL_HEADERS, CREDENTIAL_PARAMETERS } from '../../policy/quota/credential-names.js';
import type { ExplainedRequest, RequestQuestion } from '../views.js';

/** Fields of an explanation with names of objects and hosts, and with texts of objects. */
const NAMES: ReadonlySet<string> = new Set([
  ...['object', 'objects', 'handler', 'instance', 'apiSpecs', 'missing', 'notGranted'],
  ...['plan', 'plans', 'consumer', 'quota', 'hostname', 'match', 'policies'],
]);
/** A credential of this length is hidden also inside words. */
const LONG = 8;

/** Shows credentials that a person has typed as the beginning of their hashes. */
export interface HiddenCredentials {
  text(text: string): string;
  /** Without the credentials: a form would send their hashes as credentials. */
  removed(text: string): string;
  /** All texts of an explanation, apart from names. */
  explanation(explained: ExplainedRequest): ExplainedRequest;
}

/** @param apiKey of the request; undefined before it is explained */
export function createHiddenCredentials(question: RequestQuestion, apiKey: string | undefined): HiddenCredentials {
  const credentials = [...new Set(credentialsIn(question, apiKey))]
    .filter((each) => each !== '')
    // A credential can be a part of another one.
    .sort((first, second) => second.length - first.length);
  const pattern = credentials.map(patternOf).join('|');
  const found = pattern === '' ? undefined : new RegExp(pattern, 'gu');
  const text = (shown: string): string =>
    found === undefined ? shown : shown.replace(found, (credential) => credentialHash(credential));
  const removed = (shown: string): string => (found === undefined ? shown : shown.replace(found, ''));
  return { text, removed, explanation: (explained) => mapTexts(explained, text) as ExplainedRequest };
}

function* credentialsIn({ url, headers }: RequestQuestion, apiKey: string | undefined): Iterable<string> {
  if (apiKey !== undefined) yield apiKey;
  for (const line of headers) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).trim();
    // A line without a colon can be a key with a space behind its name.
    const isCredential = colon === -1 || CREDENTIAL_HEADERS.has(line.slice(0, colon).trim().toLowerCase());
    if (!isCredential && value !== apiKey) continue;
    yield value;
    // Without the scheme.
    yield value.slice(value.indexOf(' ') + 1).trim();
  }
  for (const [, name = '', value = ''] of url.matchAll(/[?&]([^=&#]*)=([^&#]*)/g)) {
    const decoded = decode(value);
    if (decoded === apiKey || CREDENTIAL_PARAMETERS.has(decode(name))) yield* [value, decoded];
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function patternOf(credential: string): string {
  const literal = escapeRegex(credential);
  return credential.length >= LONG ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      // The plans of an explanation have fields of their own.
      NAMES.has(name) && !isRecord(inner) ? inner : mapTexts(inner, change),
    ]),
  );
}
