import { RE2JS } from 're2js';
import { overlaps, parseAddressRange } from '../../base/address-range.js';
import { JWT_AUTHN } from '../../envoy/jwt-authn.js';
import type { CidrRange } from '../../generated/envoy/config/core/v3/CidrRange.js';
import type { Permission } from '../../generated/envoy/config/rbac/v3/Permission.js';
import type { Policy } from '../../generated/envoy/config/rbac/v3/Policy.js';
import type { Principal } from '../../generated/envoy/config/rbac/v3/Principal.js';
import type { HeaderMatcher } from '../../generated/envoy/config/route/v3/HeaderMatcher.js';
import type { MetadataMatcher } from '../../generated/envoy/type/matcher/v3/MetadataMatcher.js';
import type { StringMatcher } from '../../generated/envoy/type/matcher/v3/StringMatcher.js';
import { memoize } from '../../model/memo.js';

/** What is known about a request. An absent field is not known, so that rules that compare it stay open. */
export interface RequestFacts {
  /** SPIFFE id of the caller; empty: it has no certificate of the mesh. */
  readonly principal?: string;
  readonly sourceIp?: string;
  readonly destinationIp?: string;
  readonly destinationPort?: number;
  readonly serverName?: string;
  /** All headers by lower-case name, with `:method` and `:authority`. */
  readonly headers?: ReadonlyMap<string, string>;
  /** `false`: the request may have headers beside `headers`, so that others are not known. */
  readonly hasAllHeaders?: false;
  /** Without query. */
  readonly path?: string;
  /** `false`: no token of the request is verified, so no claim exists. */
  readonly hasToken?: false;
  /** Claims of a verified token that are texts, by their path with `][` between its parts. Others are not known. */
  readonly claims?: ReadonlyMap<string, string>;
}

/** Whether a request matches a rule. `open`: that depends on properties that are not known. */
export type RuleMatch =
  | { readonly type: 'yes' | 'no' }
  | {
      readonly type: 'open';
      /** As conditions of policies name them: `source.principal`. */
      readonly needs: readonly string[];
    };

const MATCHES: RuleMatch = { type: 'yes' };
export const FAILS: RuleMatch = { type: 'no' };

/** Compares a request with a policy of Envoy, as the filter does (envoy.config.rbac.v3.Policy). */
export function matchRbacPolicy({ permissions = [], principals = [] }: Policy, facts: RequestFacts): RuleMatch {
  return allOf([
    anyOf(permissions.map((permission) => matchPermission(permission, facts))),
    anyOf(principals.map((principal) => matchPrincipal(principal, facts))),
  ]);
}

/** The best of the matches. */
export function anyOf(matches: readonly RuleMatch[]): RuleMatch {
  if (matches.some(({ type }) => type === 'yes')) return MATCHES;
  return openOf(matches) ?? FAILS;
}

function allOf(matches: readonly RuleMatch[]): RuleMatch {
  if (matches.some(({ type }) => type === 'no')) return FAILS;
  return openOf(matches) ?? MATCHES;
}

function openOf(matches: readonly RuleMatch[]): RuleMatch | undefined {
  const needs = new Set(matches.flatMap((match) => (match.type === 'open' ? match.needs : [])));
  return needs.size === 0 ? undefined : { type: 'open', needs: [...needs].sort() };
}

function notOf(match: RuleMatch): RuleMatch {
  if (match.type === 'open') return match;
  return match.type === 'yes' ? FAILS : MATCHES;
}

/** The parts that `buildRbacPolicy` makes. */
function matchPermission(permission: Permission, facts: RequestFacts): RuleMatch {
  const { andRules, orRules, notRule, header, urlPath, destinationPort, destinationIp, requestedServerName } =
    permission;
  const each = (rules: readonly Permission[] = []) => rules.map((rule) => matchPermission(rule, facts));
  if (andRules) return allOf(each(andRules.rules));
  if (orRules) return anyOf(each(orRules.rules));
  if (notRule) return notOf(matchPermission(notRule, facts));
  if (header) return matchHeader(header, facts);
  if (urlPath) return matchText(urlPath.path, facts.path, 'request.path');
  if (destinationPort !== undefined) {
    return known(facts.destinationPort, 'destination.port', (port) => port === destinationPort);
  }
  if (destinationIp) return matchAddress(destinationIp, facts.destinationIp, 'destination.ip');
  if (requestedServerName) return matchText(requestedServerName, facts.serverName, 'connection.sni');
  return permission.any === true ? MATCHES : FAILS;
}

function matchPrincipal(principal: Principal, facts: RequestFacts): RuleMatch {
  const { andIds, orIds, notId, authenticated, directRemoteIp, header, metadata } = principal;
  const each = (ids: readonly Principal[] = []) => ids.map((id) => matchPrincipal(id, facts));
  if (andIds) return allOf(each(andIds.ids));
  if (orIds) return anyOf(each(orIds.ids));
  if (notId) return notOf(matchPrincipal(notId, facts));
  if (authenticated) {
    // A connection without certificate has no name, which no matcher accepts.
    if (facts.principal === '') return FAILS;
    return matchText(authenticated.principalName, facts.principal, 'source.principal');
  }
  if (directRemoteIp) return matchAddress(directRemoteIp, facts.sourceIp, 'source.ip');
  if (header) return matchHeader(header, facts);
  if (metadata) return matchMetadata(metadata, facts);
  return principal.any === true ? MATCHES : FAILS;
}

const PSEUDO_HEADERS: Readonly<Record<string, string>> = { ':method': 'request.method', ':authority': 'request.host' };

function matchHeader({ name = '', stringMatch }: HeaderMatcher, { headers, hasAllHeaders }: RequestFacts): RuleMatch {
  const value = headers?.get(name.toLowerCase());
  if (headers !== undefined && value === undefined && hasAllHeaders !== false) return FAILS;
  return matchText(stringMatch, value, PSEUDO_HEADERS[name] ?? `request.headers[${name}]`);
}

/** Metadata of other filters is never known, nor are claims of tokens that the facts do not have. */
function matchMetadata(
  { filter = '', path = [], value }: MetadataMatcher,
  { hasToken, claims }: RequestFacts,
): RuleMatch {
  const [, ...keys] = path.map(({ key = '' }) => key);
  if (filter !== JWT_AUTHN) return { type: 'open', needs: [`metadata of ${filter}`] };
  if (hasToken === false) return FAILS;
  const [name, claim] = [keys.join(']['), claims?.get(keys.join(']['))];
  // A text is no list.
  if (claim !== undefined && !value?.stringMatch) return FAILS;
  return matchText(value?.stringMatch, claim, `request.auth.claims[${name}]`);
}

function matchAddress(
  { addressPrefix = '', prefixLen }: CidrRange,
  address: string | undefined,
  name: string,
): RuleMatch {
  return known(address, name, (text) => {
    const [range, own] = [parseAddressRange(`${addressPrefix}/${prefixLen?.value ?? 0}`), parseAddressRange(text)];
    return range !== undefined && own !== undefined && overlaps(range, own);
  });
}

const compiledRegex = memoize((matcher: StringMatcher) => RE2JS.compile(matcher.safeRegex?.regex ?? ''));
const EMPTY: StringMatcher = {};

function matchText(matcher: StringMatcher | null | undefined, value: string | undefined, name: string): RuleMatch {
  return known(value, name, (text) => {
    const { exact, prefix, suffix, ignoreCase = false } = matcher ?? EMPTY;
    const fold = (each: string): string => (ignoreCase ? each.toLowerCase() : each);
    if (exact !== undefined) return fold(text) === fold(exact);
    if (prefix !== undefined) return fold(text).startsWith(fold(prefix));
    if (suffix !== undefined) return fold(text).endsWith(fold(suffix));
    return compiledRegex(matcher ?? EMPTY).matches(text);
  });
}

function known<Value>(value: Value | undefined, name: string, matches: (value: Value) => boolean): RuleMatch {
  if (value === undefined) return { type: 'open', needs: [name] };
  return matches(value) ? MATCHES : FAILS;
}
