import { parseSegment } from './uri-template-segment.js';

/**
 * One position of a path. `literal` matches the same text, percent-encoded where it is not ASCII
 * (RFC 6570 section 3.1). `single` matches one segment that is not empty, of at most `maxLength` characters
 * if that is set (`{var:3}`). `rest` matches any number of segments, also none (`**`).
 */
export type TemplateSegment =
  | { readonly type: 'literal'; readonly value: string }
  | { readonly type: 'single'; readonly maxLength?: number }
  | { readonly type: 'rest' };

/** A variable and its segments: from `segments[start]` up to, but not including, `segments[end]`. */
export interface TemplateVariable {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A name of `{?a,b:3,c*}`. By RFC 6570 a request may have the parameters in any order, and each is optional. */
export interface QueryVariable {
  readonly name: string;
  /** Maximum characters of the value, `{?name:3}`. */
  readonly maxLength?: number;
  /** Whether the parameter may occur several times, `{?name*}`. */
  readonly explode: boolean;
}

/**
 * A parsed URI template (docs/reference/policy-kinds.md#uri-templates). `/v1/{name=shelves/*}` has the three segments
 * literal `v1`, literal `shelves`, single, and the variable `name` over [1, 3). At most one segment is `rest`, and only
 * literals follow it. `/` has no segments. A slash at the end is ignored, because matching also ignores empty segments
 * at the end of a request's path.
 */
export interface UriTemplate {
  readonly source: string;
  readonly segments: readonly TemplateSegment[];
  /** In the order of the path. A name may occur more than once (`/{term:1}/{term}`). */
  readonly variables: readonly TemplateVariable[];
  /** The text after the last colon of the last segment: `cancel` in `/jobs/{id}:cancel`. */
  readonly verb?: string;
  /** Empty if the template does not end with `{?…}`. */
  readonly query: readonly QueryVariable[];
}

/** A mistake in a template. The message has no subject, like that of a violation. */
export interface UriTemplateError {
  readonly type: 'error';
  readonly message: string;
  readonly remedy: string;
}

export type UriTemplateResult = { readonly type: 'template'; readonly template: UriTemplate } | UriTemplateError;

/** Maximum characters of a template. The limit keeps matching cheap. */
export const MAX_URI_TEMPLATE_LENGTH = 2048;

const QUERY_EXPRESSION = /\{\?([^{}]*)\}$/;
const QUERY_VARIABLE = /^([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(?:(\*)|:([1-9]\d{0,3}))?$/;
const VERB = /^[A-Za-z0-9_.~-]+$/;

/** Parses a URI template, in time linear in the text. Never throws. */
export function parseUriTemplate(source: string): UriTemplateResult {
  if (source.length > MAX_URI_TEMPLATE_LENGTH) {
    return refuse(`is longer than ${MAX_URI_TEMPLATE_LENGTH} characters`, 'shorten it, or use regex');
  }
  if (!source.startsWith('/'))
    return refuse('does not start with a slash', 'write the path from its start: /pets/{id}');
  const query = QUERY_EXPRESSION.exec(source);
  const variables = query === null ? [] : parseQuery(query[1] ?? '');
  if (variables === undefined) {
    return refuse('has a query expression that is not valid', 'write names in it: {?q,lang}, {?q*} or {?q:3}');
  }
  return parsePath(source, query === null ? source : source.slice(0, query.index), variables);
}

function parseQuery(text: string): readonly QueryVariable[] | undefined {
  const variables: QueryVariable[] = [];
  for (const part of text.split(',')) {
    const match = QUERY_VARIABLE.exec(part);
    if (match === null) return undefined;
    const maxLength = match[3] === undefined ? {} : { maxLength: Number(match[3]) };
    variables.push({ name: match[1] ?? '', explode: match[2] === '*', ...maxLength });
  }
  return variables;
}

function parsePath(source: string, path: string, query: readonly QueryVariable[]): UriTemplateResult {
  const parts = splitSegments(path.length > 2 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1));
  const last = splitVerb(parts.at(-1) ?? '');
  if (last.verb !== undefined && !VERB.test(last.verb)) {
    return refuse(
      'has a colon at its end without a verb after it',
      'write /jobs/{id}:cancel, or %3A for a plain colon',
    );
  }
  const segments: TemplateSegment[] = [];
  const variables: TemplateVariable[] = [];
  for (const [index, part] of parts.entries()) {
    const parsed = parseSegment(index === parts.length - 1 ? last.segment : part);
    if (parsed.type === 'error') return parsed;
    const end = segments.length + parsed.segments.length;
    if (parsed.variable !== undefined) variables.push({ name: parsed.variable, start: segments.length, end });
    segments.push(...parsed.segments);
  }
  const rest = segments.findIndex(({ type }) => type === 'rest');
  if (rest !== -1 && segments.slice(rest + 1).some(({ type }) => type !== 'literal')) {
    return refuse('has a wildcard or a variable after **', 'write only literal segments after **, or use regex');
  }
  const verb = last.verb === undefined ? {} : { verb: last.verb };
  return { type: 'template', template: { source, segments, variables, ...verb, query } };
}

/** Splits a path at the slashes outside braces. The root has no segments. */
function splitSegments(path: string): readonly string[] {
  if (path === '') return [];
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < path.length; at++) {
    const character = path[at];
    if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === '/' && depth <= 0) {
      parts.push(path.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, path.slice(start)];
}

/** Splits off the verb. A colon inside braces belongs to a variable. */
function splitVerb(segment: string): { readonly segment: string; readonly verb?: string } {
  const colon = segment.lastIndexOf(':');
  if (colon === -1 || colon < segment.lastIndexOf('}')) return { segment };
  return { segment: segment.slice(0, colon), verb: segment.slice(colon + 1) };
}

function refuse(message: string, remedy: string): UriTemplateError {
  return { type: 'error', message, remedy };
}
