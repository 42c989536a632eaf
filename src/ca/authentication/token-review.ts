import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import { AuthenticationError, type Authenticator } from './authenticator.js';
import { readTokenClaims, serviceAccountIdentity } from './token-claims.js';
import type { TokenVerdicts } from './token-verdicts.js';

/** An API server that reviews tokens. */
export interface TokenReviewer {
  /** Id of the cluster; equal for the same API server. */
  readonly cluster: string;
  readonly send: SendRequest;
}

export interface TokenReviewOptions {
  /** The reviewer of the cluster; the local one for an unknown or missing id. */
  reviewerOf(clusterId: string | undefined): TokenReviewer;
  /** JWT_POLICY. */
  readonly jwtPolicy: string;
  /** The trust domain of the identities; may change. */
  trustDomain(): string;
  readonly verdicts: TokenVerdicts;
  readonly clock: Clock;
}

/** The audience of tokens under third-party-jwt (docs/reference/certificate-authority.md#authenticators). */
const TOKEN_AUDIENCE = 'mesh-ca';

const REVIEWS_PATH = '/apis/authentication.k8s.io/v1/tokenreviews';
const MAX_REASON_LENGTH = 300;
const SERVICE_ACCOUNTS = 'system:serviceaccounts';

/** Lets the API server review the token (docs/reference/certificate-authority.md#authenticators). */
export function createTokenReviewAuthenticator(options: TokenReviewOptions): Authenticator {
  const { jwtPolicy, verdicts, clock } = options;
  return {
    name: 'orchestrator token',
    authenticate: async ({ bearerToken: token, clusterId, peer }) => {
      if (token === undefined) return undefined;
      const audiences = audiencesOf(jwtPolicy);
      const { expiresAtMs } = readTokenClaims(token);
      // This saves a request to the API server.
      if (expiresAtMs !== undefined && expiresAtMs <= clock.now().getTime()) {
        throw new AuthenticationError('the token has expired');
      }
      const { cluster, send } = options.reviewerOf(clusterId);
      const trustDomain = options.trustDomain();
      return await verdicts.of({ token, judge: `${cluster} ${trustDomain}`, expiresAtMs, peer }, async () => {
        const userName = reviewedUser(await review(send, token, audiences), audiences);
        return {
          identities: [serviceAccountIdentity(userName, trustDomain)],
          authenticatedBy: 'orchestrator token',
        };
      });
    },
  };
}

/** @returns undefined for the audience of the API server */
function audiencesOf(jwtPolicy: string): readonly string[] | undefined {
  if (jwtPolicy === 'third-party-jwt') return [TOKEN_AUDIENCE];
  if (jwtPolicy === 'first-party-jwt') return undefined;
  throw new AuthenticationError(
    `invalid JWT policy ${JSON.stringify(jwtPolicy)}: set JWT_POLICY to third-party-jwt or first-party-jwt`,
  );
}

function review(send: SendRequest, token: string, audiences: readonly string[] | undefined): Promise<ApiAnswer> {
  return send({
    method: 'POST',
    path: REVIEWS_PATH,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, ...(audiences === undefined ? {} : { audiences }) },
    },
  });
}

/** @throws AuthenticationError when the API server rejects the token; Error when it gives no verdict */
function reviewedUser(answer: ApiAnswer, wanted: readonly string[] | undefined): unknown {
  const { status, body } = answer;
  const result = isRecord(body) ? body['status'] : undefined;
  if (status < 200 || status > 299 || !isRecord(result)) {
    throw new Error(`the token could not be reviewed: ${refusalText(answer)}`);
  }
  const { authenticated, error, user, audiences } = result;
  if (authenticated !== true) {
    const reason = typeof error === 'string' && error !== '' ? `: ${error.slice(0, MAX_REASON_LENGTH)}` : '';
    throw new AuthenticationError(`the API server does not accept the token${reason}`);
  }
  // An API server without support for audiences accepts the token and returns no audience.
  if (wanted?.some((audience) => !namesOf(audiences).includes(audience))) {
    throw new AuthenticationError(`the token is not for the audience ${wanted.join(', ')}`);
  }
  if (!isRecord(user) || !namesOf(user['groups']).includes(SERVICE_ACCOUNTS)) {
    throw new AuthenticationError(`the token's user is not in the group ${SERVICE_ACCOUNTS}`);
  }
  return user['username'];
}

function namesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
