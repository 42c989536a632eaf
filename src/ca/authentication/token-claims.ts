import { isRecord } from '../../base/record.js';
import { formatSpiffeId } from '../../model/spiffe-id.js';
import { AuthenticationError } from './authenticator.js';

/** The claims of a JSON Web Token (RFC 7519), not verified. */
export interface TokenClaims {
  readonly issuer: string | undefined;
  readonly subject: string | undefined;
  readonly audiences: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number | undefined;
}

/** Tokens of service accounts have about 1 KiB. */
const MAX_TOKEN_BYTES = 16 * 1024;
const MAX_AUDIENCES = 64;
const COMPACT = /^[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;

/**
 * Reads the claims of a token without verifying it. They decide where the token is verified, and how long the result is
 * kept.
 *
 * @throws AuthenticationError for a text that is not a token
 */
export function readTokenClaims(token: string): TokenClaims {
  if (token.length > MAX_TOKEN_BYTES) {
    throw new AuthenticationError(`the bearer token has ${token.length} bytes, at most ${MAX_TOKEN_BYTES} are taken`);
  }
  const payload = COMPACT.exec(token)?.[1];
  if (payload === undefined) throw notAToken();
  const claims = parsePayload(payload);
  if (!isRecord(claims)) throw notAToken();
  const { iss, sub, aud, exp } = claims;
  return {
    issuer: textClaim(iss),
    subject: textClaim(sub),
    audiences: (Array.isArray(aud) ? aud.slice(0, MAX_AUDIENCES) : [aud]).filter((one) => typeof one === 'string'),
    expiresAtMs: typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined,
  };
}

function textClaim(claim: unknown): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}

function parsePayload(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    // The text of the parser would contain a part of the token.
    throw notAToken();
  }
}

function notAToken(): AuthenticationError {
  return new AuthenticationError('the bearer token is not a JSON Web Token');
}

/** Names of Kubernetes: they contain no character with a meaning in a SPIFFE id. */
const USER_NAME = /^system:serviceaccount:([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):([a-z0-9][a-z0-9.-]{0,252})$/;

/**
 * The SPIFFE id of a user or subject `system:serviceaccount:<ns>:<sa>`
 * (docs/reference/certificate-authority.md#authenticators).
 *
 * @throws AuthenticationError for every other user
 */
export function serviceAccountIdentity(userName: unknown, trustDomain: string): string {
  const [, namespace, serviceAccount] = typeof userName === 'string' ? (USER_NAME.exec(userName) ?? []) : [];
  if (namespace === undefined || serviceAccount === undefined) {
    throw new AuthenticationError('the token is not that of a service account');
  }
  return formatSpiffeId({ trustDomain, namespace, serviceAccount });
}
