import type { TemplateSegment, UriTemplateError } from './uri-template.js';

/** One slash-separated part of a template. A variable such as `{a=b/*}` gives several segments. */
export type ParsedSegment =
  | {
      readonly type: 'segments';
      readonly segments: readonly TemplateSegment[];
      /** The variable whose value the segments are. */
      readonly variable?: string;
    }
  | UriTemplateError;

const VARIABLE = /^([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(?::([1-9]\d{0,3})|=(.+))?$/;
/** RFC 3986 `pchar` without the wildcard, and the non-ASCII literals of RFC 6570. */
const LITERAL = /^(?:[A-Za-z0-9\-._~!$&'()+,;=:@]|%[0-9A-Fa-f]{2}|[^\0-\x9f\ud800-\udfff])+$/u;

/** Parses one part of a path, in time linear in the text. */
export function parseSegment(text: string): ParsedSegment {
  if (!text.includes('{') && !text.includes('}')) return parsePlain(text);
  if (!/^\{[^{}]*\}$/.test(text)) return refuseBraces(text);
  const variable = VARIABLE.exec(text.slice(1, -1));
  if (variable === null) return refuseExpression(text);
  const [, name = '', maxLength, pattern] = variable;
  if (maxLength !== undefined) {
    return { type: 'segments', segments: [{ type: 'single', maxLength: Number(maxLength) }], variable: name };
  }
  if (pattern === undefined) return { type: 'segments', segments: [{ type: 'single' }], variable: name };
  const segments: TemplateSegment[] = [];
  for (const part of pattern.split('/')) {
    const parsed = parsePlain(part);
    if (parsed.type === 'error') return parsed;
    segments.push(...parsed.segments);
  }
  return { type: 'segments', segments, variable: name };
}

function parsePlain(text: string): ParsedSegment {
  if (text === '*') return { type: 'segments', segments: [{ type: 'single' }] };
  if (text === '**') return { type: 'segments', segments: [{ type: 'rest' }] };
  if (text === '') return refuse('has an empty segment', 'write one slash between segments');
  if (text.includes('*')) {
    return refuse(
      `has a wildcard that is only a part of the segment ${text}`,
      'use * or ** as a whole segment, or use regex',
    );
  }
  if (text.includes('?') || text.includes('#')) {
    return refuse('contains a query or a fragment', 'write query parameters at the end, as {?q,lang}');
  }
  if (!LITERAL.test(text)) {
    return refuse('has a character that a path cannot contain', 'percent-encode it, for example %20 for a space');
  }
  return { type: 'segments', segments: [{ type: 'literal', value: percentEncode(text) }] };
}

/** Encodes only characters beyond ASCII. LITERAL excludes lone surrogates, which cannot be encoded. */
function percentEncode(text: string): string {
  return text.replace(/[^\0-\x7f]+/gu, encodeURIComponent);
}

function refuseBraces(text: string): UriTemplateError {
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth++;
    else if (character === '}') depth--;
    if (depth < 0 || depth > 1) break;
  }
  if (depth > 1) return refuse('has a variable inside a variable', 'write them one after the other, or use regex');
  if (depth !== 0) return refuse('has an unmatched brace', 'write variables as {name}');
  if (text.includes('{?')) return refuse('has a query expression before its end', 'put {?q,lang} last');
  return refuse(`has more than a variable in the segment ${text}`, 'use a variable as a whole segment, or use regex');
}

function refuseExpression(text: string): UriTemplateError {
  const inner = text.slice(1, -1);
  if (/^[+#./;&?]/.test(inner)) {
    return refuse(
      `has the expression ${text}, which is not supported`,
      'write {name} for one segment, {name=**} for all segments that follow, {?a,b} at the end for the query',
    );
  }
  return refuse(
    `has the variable ${text}, whose name or modifier is not valid`,
    'use letters, digits, _ and dots: {name}, {name:3} for at most 3 characters, {name=segments}',
  );
}

function refuse(message: string, remedy: string): UriTemplateError {
  return { type: 'error', message, remedy };
}
