import { AuthenticationError } from '../authenticator.js';
import { readTokenClaims } from '../token-claims.js';

/** Whose tokens are taken. */
export interface ExpectedTokens {
  /** Empty for none. */
  readonly issuer: string;
  readonly audience: string;
}

/**
 * TOKEN_ISSUER and AUDIENCE, each where it is not set from the token that is mounted for the server itself
 * (BEHAVIOUR 4, "Authenticators"). A TOKEN_ISSUER that is set counts in a pod as it does beside one. One that is not set
 * is not made up where the orchestrator judges tokens: its own tokens are reviewed there.
 *
 * @param ownToken its text; undefined where none is mounted
 * @param orchServiceHost ORCH_SERVICE_HOST; any text means that the orchestrator judges tokens
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

/** A token that cannot be read says nothing. */
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
