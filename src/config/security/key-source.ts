import type { JwtRule } from './request-authentication.js';

/** The place from which the keys of a JWT rule are fetched. */
export interface KeySource {
  /** `jwks`: the document has the keys. `discovery`: it is a discovery document of OpenID Connect, which names that one. */
  readonly type: 'jwks' | 'discovery';
  readonly url: string;
  /** The issuer that a discovery document must name; empty for `jwks`. */
  readonly issuer: string;
  /** Equal sources have equal ids. */
  readonly id: string;
}

/** @returns undefined for a rule that has its keys itself */
export function keySourceOf({ issuer, jwksUri = '', jwks = '' }: JwtRule): KeySource | undefined {
  if (jwks !== '') return undefined;
  if (jwksUri !== '') return { type: 'jwks', url: jwksUri, issuer: '', id: `jwks ${jwksUri}` };
  return { type: 'discovery', url: discoveryUrlOf(issuer), issuer, id: `discovery ${issuer}` };
}

/** The discovery document of an issuer (OpenID Connect Discovery 1.0, section 4). */
export function discoveryUrlOf(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** The reason why the URL of keys cannot be fetched; undefined for a usable one. It does not depend on the server. */
export function faultOfKeyUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || /[\s\p{C}]/u.test(text)) return 'is not a URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is neither an https nor an http URL';
  if (url.username !== '' || url.password !== '') return 'has credentials in it';
  return undefined;
}
