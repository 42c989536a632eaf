import { isHeaderName, isHeaderText } from '../networking/header-rules.js';
import type { Violation } from '../violation.js';
import type { CorsFilterSpec, FilterSpec, HeaderChangesSpec, MirrorSpec, PathChangeSpec } from './http-route-filter.js';

/** The place of filters. */
export interface FilterPlace {
  readonly place: 'rule' | 'backend';
  /** Whether every condition of the rule is for a prefix of the path, so that the prefix can be replaced. */
  readonly hasOnlyPrefixes: boolean;
}

/** The filters that may be at a place, each at most once; those of `REPEATABLE` several times. */
const SUPPORTED: Readonly<Record<FilterPlace['place'], ReadonlySet<string>>> = {
  rule: new Set([
    'RequestHeaderModifier',
    'ResponseHeaderModifier',
    'RequestMirror',
    'RequestRedirect',
    'URLRewrite',
    'CORS',
  ]),
  backend: new Set(['RequestHeaderModifier', 'ResponseHeaderModifier']),
};
const REPEATABLE = 'RequestMirror';

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];
const SCHEMES: readonly string[] = ['http', 'https'];

/** Finds filters that have no effect at their place, or values that Envoy would reject. */
export function* findUnsupportedFilters(
  path: string,
  filters: readonly FilterSpec[],
  { place, hasOnlyPrefixes }: FilterPlace,
): Generator<Violation> {
  const known = new Set<string>();
  for (const [index, filter] of filters.entries()) {
    const at = `${path}[${index}]`;
    const { type } = filter;
    if (!SUPPORTED[place].has(type)) {
      const remedy = `remove it; a ${place} can have ${[...SUPPORTED[place]].join(', ')}`;
      yield {
        path: `${at}.type`,
        value: type,
        message: `is not a filter that this mesh supports for a ${place}`,
        remedy,
      };
    } else if (known.has(type) && type !== REPEATABLE) {
      yield { path: `${at}.type`, value: type, message: 'is there twice', remedy: 'keep one of the filters' };
    }
    known.add(type);
    yield* unsupportedInFilter(at, filter, hasOnlyPrefixes);
  }
  if (known.has('RequestRedirect') && known.has('URLRewrite')) {
    yield {
      path,
      message: 'rewrites a request that it redirects',
      remedy: 'keep one of RequestRedirect and URLRewrite',
    };
  }
}

function* unsupportedInFilter(at: string, filter: FilterSpec, hasOnlyPrefixes: boolean): Generator<Violation> {
  const { requestHeaderModifier, responseHeaderModifier, requestRedirect, urlRewrite, requestMirror, cors } = filter;
  yield* unsupportedHeaders(`${at}.requestHeaderModifier`, requestHeaderModifier);
  yield* unsupportedHeaders(`${at}.responseHeaderModifier`, responseHeaderModifier);
  if (requestRedirect !== undefined) {
    const { scheme, statusCode, path } = requestRedirect;
    const field = `${at}.requestRedirect`;
    if (scheme !== undefined && !SCHEMES.includes(scheme)) {
      yield { path: `${field}.scheme`, value: scheme, message: 'is not a scheme', remedy: 'use http or https' };
    }
    if (!REDIRECT_STATUSES.includes(statusCode)) {
      const remedy = `use ${REDIRECT_STATUSES.join(', ')}`;
      yield { path: `${field}.statusCode`, value: statusCode, message: 'is no status of a redirect', remedy };
    }
    yield* unsupportedPath(`${field}.path`, path, hasOnlyPrefixes);
  }
  yield* unsupportedPath(`${at}.urlRewrite.path`, urlRewrite?.path, hasOnlyPrefixes);
  yield* unsupportedMirror(`${at}.requestMirror`, requestMirror);
  yield* unsupportedCors(`${at}.cors`, cors);
}

function* unsupportedPath(
  at: string,
  change: PathChangeSpec | undefined,
  hasOnlyPrefixes: boolean,
): Generator<Violation> {
  if (change === undefined) return;
  const { type, replaceFullPath, replacePrefixMatch } = change;
  const text = type === 'ReplaceFullPath' ? replaceFullPath : replacePrefixMatch;
  if (type !== 'ReplaceFullPath' && type !== 'ReplacePrefixMatch') {
    const remedy = 'use ReplaceFullPath or ReplacePrefixMatch';
    yield { path: `${at}.type`, value: type, message: 'is not a type that this mesh supports', remedy };
  } else if (type === 'ReplacePrefixMatch' && !hasOnlyPrefixes) {
    const remedy = 'use PathPrefix in every match of the rule, or ReplaceFullPath';
    yield { path: `${at}.type`, value: type, message: 'replaces a prefix, but a match has none', remedy };
  } else if (text === undefined || !isHeaderText(text) || /[?#]/.test(text)) {
    const field = type === 'ReplaceFullPath' ? 'replaceFullPath' : 'replacePrefixMatch';
    yield { path: `${at}.${field}`, value: text, message: 'is not a path', remedy: 'start it with /' };
  }
}

function* unsupportedHeaders(at: string, changes: HeaderChangesSpec | undefined): Generator<Violation> {
  if (changes === undefined) return;
  const { set, add, remove } = changes;
  for (const [field, headers] of Object.entries({ set, add })) {
    for (const [index, { name, value }] of headers.entries()) {
      yield* unsupportedHeader(`${at}.${field}[${index}].name`, name);
      if (isHeaderText(value)) continue;
      const remedy = 'remove line breaks and other control characters';
      yield { path: `${at}.${field}[${index}].value`, value, message: 'has characters that no header has', remedy };
    }
  }
  for (const [index, name] of remove.entries()) yield* unsupportedHeader(`${at}.remove[${index}]`, name);
}

function* unsupportedHeader(path: string, name: string): Generator<Violation> {
  if (name.toLowerCase() === 'host') {
    const remedy = 'use URLRewrite with hostname';
    yield { path, value: name, message: 'is a part of the request line, which is not changed as a header', remedy };
  } else if (!isHeaderName(name)) {
    yield { path, value: name, message: 'is not the name of a header', remedy: 'use for example x-version' };
  }
}

function* unsupportedMirror(at: string, mirror: MirrorSpec | undefined): Generator<Violation> {
  const { fraction } = mirror ?? {};
  if (fraction === undefined || fraction.numerator <= fraction.denominator) return;
  const message = 'is larger than the denominator';
  yield { path: `${at}.fraction.numerator`, value: fraction.numerator, message, remedy: 'use a fraction of at most 1' };
}

function* unsupportedCors(at: string, cors: CorsFilterSpec | undefined): Generator<Violation> {
  const { allowOrigins = [], allowMethods = [], allowHeaders = [], exposeHeaders = [] } = cors ?? {};
  for (const [index, origin] of allowOrigins.entries()) {
    if (origin === '*' || /^[a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9.*:[\]-]+$/.test(origin)) continue;
    const remedy = 'use for example https://*.example.com';
    yield { path: `${at}.allowOrigins[${index}]`, value: origin, message: 'is no origin', remedy };
  }
  for (const [field, names] of Object.entries({ allowMethods, allowHeaders, exposeHeaders })) {
    for (const [index, name] of names.entries()) {
      if (name === '*' || isHeaderName(name)) continue;
      yield {
        path: `${at}.${field}[${index}]`,
        value: name,
        message: 'is no name of a method or header',
        remedy: 'remove it',
      };
    }
  }
}
