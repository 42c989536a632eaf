import { isRecord } from '../../base/record.js';
import { AuthenticationError } from './authenticator.js';

/** What a JSON Web Token says of itself (RFC 7519). Nobody has verified any of it. */
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
 * Reads a token's claims without verifying it: good for deciding whom to ask about it, and how long an answer holds.
 *
 * @throws AuthenticationError for what is no such token
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
    issuer: textOf(iss),
    subject: textOf(sub),
    audiences: (Array.isArray(aud) ? aud.slice(0, MAX_AUDIENCES) : [aud]).filter((one) => typeof one === 'string'),
    expiresAtMs: typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined,
  };
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}

function parsePayload(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    // What the parser says would show a piece of the token.
    throw notAToken();
  }
}

function notAToken(): AuthenticationError {
  return new AuthenticationError('the bearer token is not a JSON Web Token');
}
