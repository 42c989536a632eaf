import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../../base/clock.js';
import { AuthenticationError, type Authenticator } from '../authenticator.js';
import { serviceAccountIdentity } from '../service-account-name.js';
import { readTokenClaims } from '../token-claims.js';
import type { TokenVerdicts } from '../token-verdicts.js';
import type { KeySet, SigningKeys } from './signing-keys.js';

export interface OidcOptions {
  /** TOKEN_ISSUER. */
  readonly issuer: string;
  /** AUDIENCE. */
  readonly audience: string;
  readonly keys: SigningKeys;
  /** Of the identities that are found, at present. */
  trustDomain(): string;
  readonly verdicts: TokenVerdicts;
  readonly clock: Clock;
}

/** Those whose keys can be public; `none` and shared secrets are not among them. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Verifies tokens of one issuer by its published keys; `sub` names a service account (BEHAVIOUR 4). */
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
  /** A token that is signed with a key we have not heard of is worth asking for new ones. */
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

/** What jose says names claims and algorithms, never their values; its errors have them, and are not kept. */
function refusalOf(error: errors.JOSEError): AuthenticationError {
  if (error instanceof errors.JWTExpired) return new AuthenticationError('the token has expired');
  return new AuthenticationError(`the token does not verify: ${error.message}`);
}
