import { type Dimension, parseDimension } from '../policy-server/dimension.js';
import { isIpAddress } from '../primitives.js';
import { nearestName } from '../schema/nearest-name.js';
import { ATTRIBUTE_VOCABULARY, type VocabularyEntry } from './attribute-vocabulary.js';

/** Texts that HTTPAPISpecs give to attributes, by the attribute's name. */
export type GeneratedAttributes = ReadonlyMap<string, ReadonlySet<string>>;

/** A condition on a text (SPEC 2.4); expressions are not looked at. */
export interface TextCondition {
  readonly exact?: string;
  readonly prefix?: string;
  readonly regex?: string;
}

/** What keeps a condition or dimension from having an effect. */
export interface AttributeFinding {
  /**
   * `unknown`: no request has the attribute. `late`: only a report has it. `impossible`: requests have it, and none with
   * such a value.
   */
  readonly type: 'unknown' | 'late' | 'impossible';
  /** A sentence without its end. */
  readonly text: string;
}

const BY_NAME: ReadonlyMap<string, VocabularyEntry> = new Map(ATTRIBUTE_VOCABULARY.map((entry) => [entry.name, entry]));
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['int64', 'bool', 'timestamp', 'duration']);

/**
 * Whether requests can have what a dimension counts by: an attribute, or an entry of a map.
 *
 * @param written as the file has it: `request.api_key`, `request.headers[x-user]`
 */
export function judgeDimension(written: string, generated: GeneratedAttributes): AttributeFinding | undefined {
  return judgeSelector(parseDimension(written) ?? { text: written, attribute: written }, generated);
}

/** Whether a request can meet one condition of a clause (SPEC 2.5). */
export function judgeCondition(
  written: string,
  match: TextCondition,
  generated: GeneratedAttributes,
): AttributeFinding | undefined {
  const selector = parseDimension(written) ?? { text: written, attribute: written };
  return judgeSelector(selector, generated) ?? judgeMatch(selector, match, generated);
}

function judgeSelector(
  { text, attribute, mapKey }: Dimension,
  generated: GeneratedAttributes,
): AttributeFinding | undefined {
  const entry = BY_NAME.get(attribute);
  if (entry === undefined || entry.setBy === 'HTTPAPISpec') {
    if (generated.has(text) || generated.has(attribute)) return undefined;
    if (entry !== undefined) return { type: 'unknown', text: `no HTTPAPISpec sets ${attribute}` };
    return { type: 'unknown', text: `there is no attribute ${attribute}${suggestion(attribute, mapKey, generated)}` };
  }
  if (entry.known === 'report') {
    return { type: 'late', text: `${attribute} is known only when the request or connection has ended` };
  }
  if (mapKey !== undefined && entry.type !== 'stringMap') {
    return { type: 'unknown', text: `${attribute} is no map, so it has no entry [${mapKey}]` };
  }
  return undefined;
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
  generated: GeneratedAttributes,
): AttributeFinding | undefined {
  const entry = BY_NAME.get(attribute);
  const why =
    entry === undefined || entry.setBy === 'HTTPAPISpec'
      ? outsideTexts(text, match, generated.get(text) ?? generated.get(attribute))
      : mapKey === undefined
        ? unlikeEntry(entry, match)
        : undefined;
  return why === undefined ? undefined : { type: 'impossible', text: why };
}

/** Why no value of the attribute meets the condition. */
function unlikeEntry(entry: VocabularyEntry, match: TextCondition): string | undefined {
  const { name, type, values, neverBegins } = entry;
  if (type === 'stringMap') return `${name} is a map: name one of its entries, for example ${name}[x-user]`;
  if (WITHOUT_TEXT.has(type)) return `${name} has the type ${type}, which conditions on texts do not match`;
  if (values !== undefined) return outsideTexts(name, match, new Set(values));
  const given = match.exact ?? match.prefix;
  if (given === undefined) return undefined;
  if (neverBegins !== undefined && given.startsWith(neverBegins)) {
    return `${name} has no ${neverBegins} (did you mean ${given.slice(neverBegins.length)}?)`;
  }
  if (type === 'bytes') return unlikeAddress(name, match);
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

/** Why none of all the values meets the condition; expressions are not looked at. */
function outsideTexts(
  name: string,
  { exact, prefix }: TextCondition,
  texts: ReadonlySet<string> | undefined,
): string | undefined {
  const given = exact ?? prefix;
  if (texts === undefined || given === undefined) return undefined;
  const isMet = exact === undefined ? [...texts].some((text) => text.startsWith(given)) : texts.has(given);
  if (isMet) return undefined;
  const nearest = exact === undefined ? undefined : nearestName(given, texts);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `${name} never ${exact === undefined ? 'begins with' : 'is'} ${JSON.stringify(given)}${hint}`;
}
