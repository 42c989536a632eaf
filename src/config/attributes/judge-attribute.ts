import { isIpAddress } from '../../base/ip-address.js';
import { nearestName } from '../../base/nearest-name.js';
import { type Dimension, parseDimension } from '../policy-server/dimension.js';
import { literalPrefix } from '../regex/literal-prefix.js';
import { ATTRIBUTE_VOCABULARY, KNOWN_METHODS, type VocabularyEntry } from './attribute-vocabulary.js';

/** Texts that HTTPAPISpecs set, by the attribute's name. Values of other types are not included. */
export type GeneratedAttributes = ReadonlyMap<string, ReadonlySet<string>>;

/** The attributes of requests that depend on the objects of the mesh. */
export interface KnownAttributes {
  readonly generated: GeneratedAttributes;
  /** The labels that proxies send in `destination.labels`; undefined: unknown, and every label is allowed. */
  readonly labels?: ReadonlySet<string> | undefined;
  /** Matches a whole text; absent: every expression counts as matching. */
  readonly matches?: ((regex: string, text: string) => boolean) | undefined;
}

/** A condition on a text (docs/reference/policy-kinds.md#stringmatch). */
export interface TextCondition {
  readonly exact?: string;
  readonly prefix?: string;
  readonly regex?: string;
}

/** Why a condition or dimension has no effect. */
export interface AttributeFinding {
  /**
   * `unknown`: no request has the attribute. `late`: only reports have it. `impossible`: requests have it, but never with
   * such a value. `unique`: its value differs for each request.
   */
  readonly type: 'unknown' | 'late' | 'impossible' | 'unique';
  /** A sentence without a full stop. */
  readonly text: string;
}

const BY_NAME: ReadonlyMap<string, VocabularyEntry> = new Map(ATTRIBUTE_VOCABULARY.map((entry) => [entry.name, entry]));
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['int64', 'bool', 'timestamp', 'duration']);
const METHODS: ReadonlySet<string> = new Set(KNOWN_METHODS);
/** The name of a header: a token of RFC 9110. Pseudo-headers such as `:method` begin with a colon. */
const HEADER_NAME = /^:?[a-z0-9!#$%&'*+.^_`|~-]+$/;
const LABELS = 'destination.labels';

/**
 * Why a dimension has no effect; undefined if requests can have its attribute or map entry.
 *
 * @param written as in the file: `request.api_key`, `request.headers[x-user]`
 */
export function judgeDimension(written: string, known: KnownAttributes): AttributeFinding | undefined {
  const selector = parseDimension(written) ?? { text: written, attribute: written };
  const found = judgeSelector(selector, known);
  if (found !== undefined || BY_NAME.get(selector.attribute)?.isUnique !== true) return found;
  return { type: 'unique', text: `${selector.attribute} differs for each request or connection` };
}

/**
 * Why no request can meet a condition of a clause; undefined if a request can
 * (docs/reference/policy-kinds.md#attributematch).
 */
export function judgeCondition(
  written: string,
  match: TextCondition,
  known: KnownAttributes,
): AttributeFinding | undefined {
  const selector = parseDimension(written) ?? { text: written, attribute: written };
  return judgeSelector(selector, known) ?? judgeMatch(selector, match, known);
}

function judgeSelector(
  { text, attribute, mapKey }: Dimension,
  { generated, labels }: KnownAttributes,
): AttributeFinding | undefined {
  const entry = BY_NAME.get(attribute);
  if (entry === undefined || entry.setBy === 'HTTPAPISpec') {
    if (generated.has(text)) return undefined;
    if (generated.has(attribute)) {
      return { type: 'unknown', text: `no HTTPAPISpec sets an entry [${mapKey}] of ${attribute}` };
    }
    if (entry !== undefined) return { type: 'unknown', text: `no HTTPAPISpec sets ${attribute}` };
    return { type: 'unknown', text: `there is no attribute ${attribute}${suggestion(attribute, mapKey, generated)}` };
  }
  if (entry.known === 'report') {
    return { type: 'late', text: `${attribute} is known only at the end of the request or connection` };
  }
  if (mapKey !== undefined && entry.type !== 'stringMap') {
    return { type: 'unknown', text: `${attribute} is not a map, so it has no entry [${mapKey}]` };
  }
  if (mapKey !== undefined && attribute === 'request.headers' && !isHeader(mapKey)) {
    return { type: 'unknown', text: `request.headers never has an entry ${JSON.stringify(mapKey)}` };
  }
  if (attribute === LABELS && mapKey !== undefined && labels?.has(mapKey) === false) {
    const text = `proxies do not send ${LABELS}[${mapKey}], because no binding names the label ${JSON.stringify(mapKey)}`;
    return { type: 'unknown', text };
  }
  return undefined;
}

/** Whether a request can have the header. Proxies hide their own header from conditions. */
function isHeader(name: string): boolean {
  return HEADER_NAME.test(name) && name !== 'x-mesh-attributes';
}

function suggestion(attribute: string, mapKey: string | undefined, generated: GeneratedAttributes): string {
  const known = ATTRIBUTE_VOCABULARY.filter((entry) => entry.known === 'check' && entry.setBy !== 'HTTPAPISpec');
  const nearest = nearestName(attribute, [...known.map(({ name }) => name), ...generated.keys()]);
  if (nearest === undefined) return '';
  const key = mapKey !== undefined && BY_NAME.get(nearest)?.type === 'stringMap' ? `[${mapKey}]` : '';
  return ` (did you mean ${nearest}${key}?)`;
}

function judgeMatch(
  { text, attribute, mapKey }: Dimension,
  match: TextCondition,
  { generated, matches }: KnownAttributes,
): AttributeFinding | undefined {
  const entry = BY_NAME.get(attribute);
  const why =
    entry === undefined || entry.setBy === 'HTTPAPISpec'
      ? whyNoTextMatches(text, match, generated.get(text) ?? generated.get(attribute), matches)
      : mapKey === undefined
        ? whyNoValueMatches(entry, match, matches)
        : undefined;
  return why === undefined ? undefined : { type: 'impossible', text: why };
}

/** Why no value of an attribute of the vocabulary meets the condition. */
function whyNoValueMatches(
  entry: VocabularyEntry,
  match: TextCondition,
  matches: KnownAttributes['matches'],
): string | undefined {
  const { name, type, values, neverBegins, form } = entry;
  if (type === 'stringMap') return `${name} is a map: use one of its entries, for example ${name}[x-user]`;
  if (WITHOUT_TEXT.has(type)) return `${name} has the type ${type}, which conditions on texts do not match`;
  if (values !== undefined) return whyNoTextMatches(name, match, new Set(values), matches);
  if (form !== undefined) return whyFormNeverMatches(name, form, match);
  const given = match.exact ?? match.prefix;
  if (given === undefined) return undefined;
  if (neverBegins !== undefined && given.startsWith(neverBegins)) {
    return `${name} has no ${neverBegins} (did you mean ${given.slice(neverBegins.length)}?)`;
  }
  if (type === 'bytes') return whyAddressNeverMatches(name, match);
  return undefined;
}

/** Why no value of this form meets the condition. */
function whyFormNeverMatches(
  name: string,
  form: NonNullable<VocabularyEntry['form']>,
  match: TextCondition,
): string | undefined {
  const { exact, prefix, regex } = match;
  if (form === 'method') {
    const meant = exact?.toUpperCase() ?? '';
    if (exact === meant || !METHODS.has(meant)) return undefined;
    return `${name} is case-sensitive and never ${JSON.stringify(exact)} (did you mean ${meant}?)`;
  }
  const beginning = exact ?? prefix ?? literalPrefix(regex ?? '');
  // The path of an OPTIONS request may be *.
  if (beginning !== '' && !beginning.startsWith('/') && beginning !== '*') {
    return `${name} begins with a slash, and ${JSON.stringify(exact ?? prefix ?? regex)} does not`;
  }
  if (form === 'path' && (exact ?? prefix)?.includes('?')) {
    return `${name} has no query, and ${JSON.stringify(exact ?? prefix)} has one (did you mean request.path?)`;
  }
  return undefined;
}

function whyAddressNeverMatches(name: string, { exact, prefix }: TextCondition): string | undefined {
  if (exact !== undefined && !isIpAddress(exact)) {
    const range = /^(.*)\/[0-9]+$/.test(exact) ? ': for a range use prefix or regex' : '';
    return `${name} is an IP address, and ${JSON.stringify(exact)} is not${range}`;
  }
  if (prefix !== undefined && !/^[0-9a-f:.]+$/.test(prefix)) {
    return `${name} is an IP address, and no IP address begins with ${JSON.stringify(prefix)}`;
  }
  return undefined;
}

/** Why none of the possible texts meets the condition. */
function whyNoTextMatches(
  name: string,
  { exact, prefix, regex }: TextCondition,
  texts: ReadonlySet<string> | undefined,
  matches: KnownAttributes['matches'],
): string | undefined {
  if (regex !== undefined && texts !== undefined && matches !== undefined) {
    if ([...texts].some((text) => matches(regex, text))) return undefined;
    return `${name} never matches ${JSON.stringify(regex)}`;
  }
  const given = exact ?? prefix;
  if (texts === undefined || given === undefined) return undefined;
  const isMet = exact === undefined ? [...texts].some((text) => text.startsWith(given)) : texts.has(given);
  if (isMet) return undefined;
  const nearest = exact === undefined ? undefined : nearestName(given, texts);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `${name} never ${exact === undefined ? 'begins with' : 'is'} ${JSON.stringify(given)}${hint}`;
}
