import { AuthenticationError } from '../authenticator.js';
import { readTokenClaims } from '../token-claims.js';

/** The accepted tokens. */
export interface ExpectedTokens {
  /** Empty accepts none. */
  readonly issuer: string;
  readonly audience: string;
}

/**
 * TOKEN_ISSUER and AUDIENCE. If one is not set, its value comes from the token that is mounted for the server itself
 * (docs/reference/certificate-authority.md#authenticators). If the orchestrator reviews tokens, only a TOKEN_ISSUER
 * that is set counts, because tokens of the cluster are reviewed there.
 *
 * @param ownToken text of the mounted token; undefined if none is mounted
 * @param orchServiceHost ORCH_SERVICE_HOST; a text that is not empty means that the orchestrator reviews tokens
 */
export function expectedTokens(
  settings: ExpectedTokens,
  ownToken: string | undefined,
  orchServiceHost: string,
): ExpectedTokens {
  const own = readOwnToken(ownToken);
  const ownIssuer = orchServiceHost === '' ? own.issuer : '';
  return {
    issuer: settings.issuer === '' ? ownIssuer : settings.issuer,
    audience: settings.audience === '' ? own.audience : settings.audience,
  };
}

/** A token that cannot be read gives empty values. */
function readOwnToken(token: string | undefined): ExpectedTokens {
  if (token === undefined) return { issuer: '', audience: '' };
  try {
    const { issuer = '', audiences } = readTokenClaims(token.trim());
    return { issuer, audience: audiences[0] ?? '' };
  } catch (error) {
    if (error instanceof AuthenticationError) return { issuer: '', audience: '' };
    throw error;
  }
}
