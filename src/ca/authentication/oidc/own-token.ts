import { AuthenticationError } from '../authenticator.js';
import { readTokenClaims } from '../token-claims.js';

/** Whose tokens are taken. */
export interface ExpectedTokens {
  /** Empty for nobody's. */
  readonly issuer: string;
  readonly audience: string;
}

/**
 * TOKEN_ISSUER and AUDIENCE, each where it is not set from the token that is mounted for the server itself
 * (BEHAVIOUR 4, "Authenticators").
 *
 * @param ownToken its text; undefined where none is mounted
 */
export function expectTokensLikeOwn(settings: ExpectedTokens, ownToken: string | undefined): ExpectedTokens {
  if (ownToken === undefined || (settings.issuer !== '' && settings.audience !== '')) return settings;
  try {
    const { issuer = '', audiences } = readTokenClaims(ownToken.trim());
    return {
      issuer: settings.issuer === '' ? issuer : settings.issuer,
      audience: settings.audience === '' ? (audiences[0] ?? '') : settings.audience,
    };
  } catch (error) {
    if (error instanceof AuthenticationError) return settings;
    throw error;
  }
}
