import { cidrRange } from '../../envoy/addresses.js';
import { JWT_AUTHN, JWT_PAYLOAD_KEY } from '../../envoy/jwt-authn.js';
import type { Principal } from '../../generated/envoy/config/rbac/v3/Principal.js';
import type { StringMatcher } from '../../generated/envoy/type/matcher/v3/StringMatcher.js';
import { cidrOf } from './permissions.js';
import { parseValuePattern, regexMatcher, valueMatcher, valueRegex } from './value-matcher.js';

export const ANY_PRINCIPAL: Principal = { any: true };
const SPIFFE = 'spiffe://';

export function allPrincipals(ids: readonly Principal[]): Principal {
  return ids.length === 1 ? (ids[0] ?? ANY_PRINCIPAL) : { andIds: { ids: [...ids] } };
}

/** One of the values must match, and none of the others. */
export function principalOf(
  values: readonly string[] | undefined,
  notValues: readonly string[] | undefined,
  build: (value: string) => Principal,
): readonly Principal[] {
  return [
    ...(values === undefined ? [] : [anyOf(values.map(build))]),
    ...(notValues === undefined ? [] : [{ notId: anyOf(notValues.map(build)) }]),
  ];
}

function anyOf(ids: readonly Principal[]): Principal {
  return ids.length === 1 ? (ids[0] ?? ANY_PRINCIPAL) : { orIds: { ids: [...ids] } };
}

/**
 * An identity of mutual TLS. A value of the own trust domain matches identities of its aliases too: workloads get
 * certificates of the new trust domain one after the other.
 *
 * @param trustDomains the own trust domain and its aliases
 */
export function identityPrincipal(value: string, trustDomains: readonly string[]): Principal {
  const pattern = parseValuePattern(value);
  if (pattern.type === 'present') return authenticated(regexMatcher('.+'));
  if (pattern.type === 'suffix') {
    return allPrincipals([authenticated({ prefix: SPIFFE }), authenticated({ suffix: pattern.text })]);
  }
  const slash = pattern.text.indexOf('/');
  const names =
    slash >= 0 && trustDomains.includes(pattern.text.slice(0, slash))
      ? trustDomains.map((domain) => domain + pattern.text.slice(slash))
      : [pattern.text];
  return anyOf(names.map((name) => authenticated({ [pattern.type]: SPIFFE + name })));
}

/** The namespace of an identity of mutual TLS. */
export function namespacePrincipal(value: string): Principal {
  const namespace = valueRegex(value, value === '*' ? '[^/]+' : '[^/]*');
  return authenticated(regexMatcher(`${SPIFFE}[^/]+/ns/${namespace}/sa/.+`));
}

function authenticated(principalName: StringMatcher): Principal {
  return { authenticated: { principalName } };
}

/** The address that the connection comes from. */
export function addressPrincipal(value: string): Principal {
  return { directRemoteIp: cidrRange(cidrOf(value)) };
}

/** `host` is another name of `:authority` in Envoy. Some gRPC servers have no header of that name, and would not deny by it. */
export function headerPrincipal(name: string, value: string): Principal {
  return { header: { name: name === 'host' ? ':authority' : name, stringMatch: valueMatcher(value) } };
}

/**
 * Issuer and subject of a JWT, joined by a slash. Both may have slashes themselves, so each slash of the value may be the
 * one between them.
 */
export function requestPrincipal(value: string): Principal {
  const pattern = parseValuePattern(value);
  if (pattern.type === 'present') return subject({ issuer: regexMatcher('.+'), subject: regexMatcher('.+') });
  const { type, text } = pattern;
  const ids = [...text.matchAll(/\//g)].map(({ index }) => {
    const [issuer, of] = [text.slice(0, index), text.slice(index + 1)];
    return subject({
      issuer: type === 'suffix' ? notEmpty({ suffix: issuer }) : { exact: issuer },
      subject: type === 'prefix' ? notEmpty({ prefix: of }) : { exact: of },
    });
  });
  if (type === 'prefix') ids.push(subject({ issuer: { prefix: text }, subject: regexMatcher('.+') }));
  if (type === 'suffix') ids.push(subject({ issuer: regexMatcher('.+'), subject: { suffix: text } }));
  return ids.length === 0 ? { notId: ANY_PRINCIPAL } : anyOf(ids);
}

/** Envoy rejects an empty prefix or suffix. */
function notEmpty(matcher: { readonly prefix: string } | { readonly suffix: string }): StringMatcher {
  return Object.values(matcher).includes('') ? regexMatcher('.+') : matcher;
}

function subject(claims: { readonly issuer: StringMatcher; readonly subject: StringMatcher }): Principal {
  return allPrincipals([claim(['iss'], claims.issuer), claim(['sub'], claims.subject)]);
}

function claim(path: readonly string[], matcher: StringMatcher): Principal {
  return metadata(JWT_AUTHN, [JWT_PAYLOAD_KEY, ...path], { stringMatch: matcher });
}

/** A claim of a JWT: a text, or a list with such a text in it. */
export function claimPrincipal(path: readonly string[], value: string): Principal {
  const text = { stringMatch: valueMatcher(value) };
  const keys = [JWT_PAYLOAD_KEY, ...path];
  return anyOf([metadata(JWT_AUTHN, keys, text), metadata(JWT_AUTHN, keys, { listMatch: { oneOf: text } })]);
}

/** Metadata that a filter has set: a text, or with `[value]` a list with such a text in it. */
export function filterPrincipal(filter: string, key: string, value: string): Principal {
  const [, inList] = /^\[(.+)\]$/.exec(value) ?? [];
  return metadata(
    filter,
    [key],
    inList === undefined
      ? { stringMatch: valueMatcher(value) }
      : { listMatch: { oneOf: { stringMatch: valueMatcher(inList) } } },
  );
}

function metadata(
  filter: string,
  path: readonly string[],
  value: NonNullable<NonNullable<Principal['metadata']>['value']>,
): Principal {
  return { metadata: { filter, path: path.map((key) => ({ key })), value } };
}
