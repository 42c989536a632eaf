import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../../base/clock.js';
import { AuthenticationError, type Authenticator } from '../authenticator.js';
import { readTokenClaims, serviceAccountIdentity } from '../token-claims.js';
import type { TokenVerdicts } from '../token-verdicts.js';
import type { KeySet, SigningKeys } from './signing-keys.js';

export interface OidcOptions {
  /** TOKEN_ISSUER. */
  readonly issuer: string;
  /** AUDIENCE. */
  readonly audience: string;
  readonly keys: SigningKeys;
  /** The trust domain of the identities; may change. */
  trustDomain(): string;
  readonly verdicts: TokenVerdicts;
  readonly clock: Clock;
}

/** Algorithms with public keys. `none` and shared secrets are excluded. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/**
 * Verifies tokens of one issuer with its published keys; `sub` names a service account
 * (docs/reference/certificate-authority.md#authenticators).
 */
export function createOidcAuthenticator(options: OidcOptions): Authenticator {
  const { issuer, audience, keys, verdicts, clock } = options;

  const verify = async (token: string, set: KeySet): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, set.getKey, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      currentDate: clock.now(),
    });
    return payload;
  };
  /** For a token that is signed with an unknown key, the newest keys are fetched. */
  const verifyWithNewestKeys = async (token: string): Promise<JWTPayload> => {
    const known = await keys.current();
    try {
      return await verify(token, known);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newest = await keys.current(known);
      if (newest === known) throw error;
      return await verify(token, newest);
    }
  };

  return {
    name: 'OIDC token',
    authenticate: async ({ bearerToken: token, peer }) => {
      if (token === undefined) return undefined;
      const { issuer: claimed, expiresAtMs } = readTokenClaims(token);
      if (claimed !== issuer) throw new AuthenticationError(`the token is not from the issuer ${issuer}`);
      const trustDomain = options.trustDomain();
      return await verdicts.of({ token, judge: `OIDC ${trustDomain}`, expiresAtMs, peer }, async () => {
        const { sub } = await verifyWithNewestKeys(token).catch((cause: unknown) => {
          throw cause instanceof errors.JOSEError ? refusalOf(cause) : cause;
        });
        return { identities: [serviceAccountIdentity(sub, trustDomain)], authenticatedBy: 'OIDC token' };
      });
    },
  };
}

/**
 * The texts of jose name claims and algorithms without their values. The errors themselves hold values, so they are not
 * kept.
 */
function refusalOf(error: errors.JOSEError): AuthenticationError {
  if (error instanceof errors.JWTExpired) return new AuthenticationError('the token has expired');
  return new AuthenticationError(`the token does not verify: ${error.message}`);
}
