import { isIpAddress } from '../../base/ip-address.js';
import { type Dimension, parseDimension } from '../policy-server/dimension.js';
import { literalPrefix } from '../regex/literal-prefix.js';
import { nearestName } from '../schema/nearest-name.js';
import { ATTRIBUTE_VOCABULARY, type VocabularyEntry } from './attribute-vocabulary.js';
import { KNOWN_METHODS } from './http-methods.js';

/** Texts that HTTPAPISpecs give to attributes, by the attribute's name; values of other types give none. */
export type GeneratedAttributes = ReadonlyMap<string, ReadonlySet<string>>;

/** What decides, beside the vocabulary, whether requests have an attribute. */
export interface KnownAttributes {
  readonly generated: GeneratedAttributes;
  /** The labels that proxies tell in `destination.labels`; undefined where they are not known, which allows all. */
  readonly labels?: ReadonlySet<string> | undefined;
  /** Full match by a regular expression; without it expressions are taken to match. */
  readonly matches?: ((regex: string, text: string) => boolean) | undefined;
}

/** A condition on a text (SPEC 2.4). */
export interface TextCondition {
  readonly exact?: string;
  readonly prefix?: string;
  readonly regex?: string;
}

/** What keeps a condition or dimension from having an effect. */
export interface AttributeFinding {
  /**
   * `unknown`: no request has the attribute. `late`: only a report has it. `impossible`: requests have it, and none with
   * such a value. `unique`: each request has another value.
   */
  readonly type: 'unknown' | 'late' | 'impossible' | 'unique';
  /** A sentence without its end. */
  readonly text: string;
}

const BY_NAME: ReadonlyMap<string, VocabularyEntry> = new Map(ATTRIBUTE_VOCABULARY.map((entry) => [entry.name, entry]));
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['int64', 'bool', 'timestamp', 'duration']);
const METHODS: ReadonlySet<string> = new Set(KNOWN_METHODS);
/** The characters of a token (RFC 9110), which names of headers are made of; `:method` and its like begin with a colon. */
const HEADER_NAME = /^:?[a-z0-9!#$%&'*+.^_`|~-]+$/;
const LABELS = 'destination.labels';

/**
 * Whether requests can have what a dimension counts by: an attribute, or an entry of a map.
 *
 * @param written as the file has it: `request.api_key`, `request.headers[x-user]`
 */
export function judgeDimension(written: string, known: KnownAttributes): AttributeFinding | undefined {
  const selector = parseDimension(written) ?? { text: written, attribute: written };
  const found = judgeSelector(selector, known);
  if (found !== undefined || BY_NAME.get(selector.attribute)?.isUnique !== true) return found;
  return { type: 'unique', text: `${selector.attribute} is another one for each request or connection` };
}

/** Whether a request can meet one condition of a clause (SPEC 2.5). */
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
    return { type: 'late', text: `${attribute} is known only when the request or connection has ended` };
  }
  if (mapKey !== undefined && entry.type !== 'stringMap') {
    return { type: 'unknown', text: `${attribute} is no map, so it has no entry [${mapKey}]` };
  }
  if (mapKey !== undefined && attribute === 'request.headers' && !isHeader(mapKey)) {
    return { type: 'unknown', text: `request.headers never has an entry ${JSON.stringify(mapKey)}` };
  }
  if (attribute === LABELS && mapKey !== undefined && labels?.has(mapKey) === false) {
    const text = `proxies do not tell ${LABELS}[${mapKey}], because no binding names the label ${JSON.stringify(mapKey)}`;
    return { type: 'unknown', text };
  }
  return undefined;
}

/** Whether a request can have the header, and conditions can see it. */
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
      ? outsideTexts(text, match, generated.get(text) ?? generated.get(attribute), matches)
      : mapKey === undefined
        ? unlikeEntry(entry, match, matches)
        : undefined;
  return why === undefined ? undefined : { type: 'impossible', text: why };
}

/** Why no value of the attribute meets the condition. */
function unlikeEntry(
  entry: VocabularyEntry,
  match: TextCondition,
  matches: KnownAttributes['matches'],
): string | undefined {
  const { name, type, values, neverBegins, form } = entry;
  if (type === 'stringMap') return `${name} is a map: name one of its entries, for example ${name}[x-user]`;
  if (WITHOUT_TEXT.has(type)) return `${name} has the type ${type}, which conditions on texts do not match`;
  if (values !== undefined) return outsideTexts(name, match, new Set(values), matches);
  if (form !== undefined) return unlikeForm(name, form, match);
  const given = match.exact ?? match.prefix;
  if (given === undefined) return undefined;
  if (neverBegins !== undefined && given.startsWith(neverBegins)) {
    return `${name} has no ${neverBegins} (did you mean ${given.slice(neverBegins.length)}?)`;
  }
  if (type === 'bytes') return unlikeAddress(name, match);
  return undefined;
}

/** @param form of all values of the attribute */
function unlikeForm(
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
  // OPTIONS may ask about the server as a whole.
  if (beginning !== '' && !beginning.startsWith('/') && beginning !== '*') {
    return `${name} begins with a slash, and ${JSON.stringify(exact ?? prefix ?? regex)} does not`;
  }
  if (form === 'path' && (exact ?? prefix)?.includes('?')) {
    return `${name} has no query, and ${JSON.stringify(exact ?? prefix)} has one (did you mean request.path?)`;
  }
  return undefined;
}

function unlikeAddress(name: string, { exact, prefix }: TextCondition): string | undefined {
  if (exact !== undefined && !isIpAddress(exact)) {
    const range = /^(.*)\/[0-9]+$/.test(exact) ? ': for a range use prefix or regex' : '';
    return `${name} is one IP address, and ${JSON.stringify(exact)} is none${range}`;
  }
  if (prefix !== undefined && !/^[0-9a-f:.]+$/.test(prefix)) {
    return `no IP address begins with ${JSON.stringify(prefix)}, as ${name} would have it`;
  }
  return undefined;
}

/** Why none of all the values meets the condition. */
function outsideTexts(
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
