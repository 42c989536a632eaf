import { escapeRegex } from '../../../base/escape-regex.js';
import type {
  CorsFilterSpec,
  FilterSpec,
  HeaderChangesSpec,
  MirrorSpec,
  RedirectSpec,
} from '../../../config/gateway-api/http-route-filter.js';
import type { HeaderChanges, HeaderOperations, Redirect, Rewrite } from '../../traffic/http-action.js';
import type { StringMatch } from '../../traffic/http-match.js';
import type { CorsPolicy } from '../../traffic/http-route.js';

/** The filter of a type, of which a valid list has one. */
export function filterOf<Type extends keyof FilterSpec>(
  filters: readonly FilterSpec[],
  field: Type,
): NonNullable<FilterSpec[Type]> | undefined {
  return filters.find((filter) => filter[field] !== undefined)?.[field] as NonNullable<FilterSpec[Type]> | undefined;
}

/** The changes of headers in a list of filters; undefined for none. */
export function translateHeaderFilters(filters: readonly FilterSpec[]): HeaderChanges | undefined {
  const request = operationsOf(filterOf(filters, 'requestHeaderModifier'));
  const response = operationsOf(filterOf(filters, 'responseHeaderModifier'));
  if (request === undefined && response === undefined) return undefined;
  return { ...(request === undefined ? {} : { request }), ...(response === undefined ? {} : { response }) };
}

function operationsOf(changes: HeaderChangesSpec | undefined): HeaderOperations | undefined {
  if (changes === undefined) return undefined;
  const { set, add, remove } = changes;
  const operations: HeaderOperations = {
    ...(set.length === 0 ? {} : { set: valuesOf(set) }),
    ...(add.length === 0 ? {} : { add: valuesOf(add) }),
    ...(remove.length === 0 ? {} : { remove }),
  };
  return Object.keys(operations).length === 0 ? undefined : operations;
}

/** Values are texts here, and in Envoy commands start with a percent sign. Of one name, the first value counts. */
function valuesOf(headers: HeaderChangesSpec['set']): Readonly<Record<string, string>> {
  const values = new Map<string, readonly [string, string]>();
  for (const { name, value } of headers) {
    const identity = name.toLowerCase();
    if (!values.has(identity)) values.set(identity, [name, value.replaceAll('%', '%%')]);
  }
  return Object.fromEntries(values.values());
}

/** The port and scheme of the listener, which a redirect without a port keeps. */
export interface ListenerPort {
  readonly port: number;
  readonly scheme: 'http' | 'https';
}

const WELL_KNOWN = { http: 80, https: 443 } as const;

export function translateRedirect(spec: RedirectSpec, listener: ListenerPort): Redirect {
  const { hostname = '', path, port, statusCode } = spec;
  const scheme = spec.scheme === 'http' || spec.scheme === 'https' ? spec.scheme : undefined;
  const wanted = port ?? (scheme === undefined ? listener.port : WELL_KNOWN[scheme]);
  const isImplied = wanted === WELL_KNOWN[scheme ?? listener.scheme];
  return {
    type: 'redirect',
    status: statusCode as Redirect['status'],
    ...(hostname === '' ? {} : { authority: hostname }),
    ...(isImplied ? {} : { port: wanted }),
    ...(scheme === undefined ? {} : { scheme }),
    ...(path?.type === 'ReplaceFullPath' ? { path: absolute(path.replaceFullPath) } : {}),
    ...(path?.type === 'ReplacePrefixMatch' ? { segments: segmentsOf(path.replacePrefixMatch) } : {}),
  };
}

export function translateRewrite({ hostname = '', path }: NonNullable<FilterSpec['urlRewrite']>): Rewrite {
  return {
    ...(hostname === '' ? {} : { authority: hostname }),
    ...(path?.type === 'ReplaceFullPath' ? { wholePath: absolute(path.replaceFullPath) } : {}),
    ...(path?.type === 'ReplacePrefixMatch' ? { segments: segmentsOf(path.replacePrefixMatch) } : {}),
  };
}

function absolute(path = ''): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/** Empty for the root. */
function segmentsOf(path = ''): string {
  return absolute(path).replace(/\/+$/, '');
}

/** The mirrored share of requests in percent. */
export function mirroredPercent({ percent, fraction }: MirrorSpec): number {
  if (fraction !== undefined) return (100 * fraction.numerator) / fraction.denominator;
  return percent ?? 100;
}

export function translateCors(spec: CorsFilterSpec): CorsPolicy {
  const { allowOrigins, allowMethods, allowHeaders, exposeHeaders, allowCredentials, maxAge } = spec;
  return {
    origins: allowOrigins.map(originMatch),
    methods: allowMethods,
    requestHeaders: allowHeaders,
    exposedHeaders: exposeHeaders,
    maxAgeMs: maxAge * 1000,
    ...(allowCredentials ? { allowsCredentials: true } : {}),
  };
}

/** A star stands for labels of the host, and alone for every origin. */
function originMatch(origin: string): StringMatch {
  if (!origin.includes('*')) return { type: 'exact', value: origin };
  if (origin === '*') return { type: 'regex', value: '.*' };
  const parts = origin.split('*').map(escapeRegex);
  return { type: 'regex', value: parts.join('[a-zA-Z0-9.-]+') };
}
