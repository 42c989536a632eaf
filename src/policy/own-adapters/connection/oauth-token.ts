import { createBackoff } from '../../../base/backoff.js';
import type { Clock } from '../../../base/clock.js';
import { parseRecord } from '../../../base/record.js';
import type { ConnectionSpec } from '../../../config/policy-rules/connection.js';
import type { PostAnswer, PostForm } from '../../../net/egress/guarded-post.js';
import { checkedToken, type TokenSource } from './call-tokens.js';
import type { ReadCredential } from './credential-files.js';

type OAuth = NonNullable<NonNullable<NonNullable<ConnectionSpec['authentication']>['tls']>['oauth']>;

export interface OAuthTokenOptions {
  readonly oauth: OAuth;
  readonly read: ReadCredential;
  readonly post: PostForm;
  /** Roots that verify the token server, PEM; undefined: the system's. */
  readonly roots: () => readonly string[] | undefined;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called when a token cannot be obtained, at each attempt. */
  readonly onFailure: (error: unknown) => void;
}

interface Issued {
  readonly token: string;
  readonly untilMs: number;
}

/** For an answer that names no lifetime. */
const DEFAULT_LIFETIME_S = 3600;
const MIN_LIFETIME_S = 1;
const MAX_LIFETIME_S = 24 * 3600;
/** The share of its lifetime after which a token is renewed, while the former one still counts. */
const RENEW_AFTER = 0.8;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

/**
 * A token of OAuth 2.0 client credentials (RFC 6749, 4.4). It is requested at the first call, kept for its lifetime and
 * renewed before its end. After a failure, calls fail until the next attempt.
 */
export function createOAuthToken(options: OAuthTokenOptions): TokenSource {
  const { clock, random, onFailure } = options;
  const request = createTokenRequest(options);
  const backoff = createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random });
  let issued: Issued | undefined;
  let failure: Error | undefined;
  let pending: Promise<Issued> | undefined;
  let cancelTimer = (): void => undefined;
  let isClosed = false;

  const obtain = (): Promise<Issued> => {
    pending ??= request()
      .then(({ token, lifetimeS }) => {
        const lifetimeMs = lifetimeS * 1000;
        issued = { token, untilMs: clock.monotonicMs() + lifetimeMs };
        failure = undefined;
        backoff.reset();
        schedule(lifetimeMs * RENEW_AFTER);
        return issued;
      })
      .catch((error: unknown) => {
        failure = error instanceof Error ? error : new Error('the token server gave no token');
        onFailure(failure);
        schedule(backoff.nextMs());
        throw failure;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
  const schedule = (delayMs: number): void => {
    cancelTimer();
    if (isClosed) return;
    // Told by onFailure.
    cancelTimer = clock.schedule(delayMs, () => void obtain().catch(() => undefined));
  };

  return {
    current: () => {
      if (issued !== undefined && clock.monotonicMs() < issued.untilMs) return issued.token;
      if (pending === undefined && failure !== undefined) throw failure;
      return obtain().then(({ token }) => token);
    },
    refresh: async () => undefined,
    close: () => {
      isClosed = true;
      cancelTimer();
    },
  };
}

type TokenRequest = () => Promise<{ readonly token: string; readonly lifetimeS: number }>;

function createTokenRequest({ oauth, read, post, roots }: OAuthTokenOptions): TokenRequest {
  const { clientId, clientSecret, tokenUrl, scopes, endpointParams } = oauth;
  /** Most servers take the client's name in a header, some only in the form. */
  let isInForm = false;
  const send = (secret: string): Promise<PostAnswer> => {
    const trusted = roots();
    const scope: Record<string, string> = scopes.length > 0 ? { scope: scopes.join(' ') } : {};
    const form = { ...endpointParams, grant_type: 'client_credentials', ...scope };
    const url = { url: tokenUrl, ...(trusted && { roots: trusted }) };
    if (isInForm) return post({ ...url, form: { ...form, client_id: clientId, client_secret: secret } });
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64');
    return post({ ...url, form, headers: { authorization: `Basic ${basic}` } });
  };
  return async () => {
    const secret = (await read(clientSecret)).trim();
    let answer = await send(secret);
    if (answer.status === 400 || answer.status === 401) {
      isInForm = !isInForm;
      answer = await send(secret);
    }
    return readTokenAnswer(answer);
  };
}

/** @throws Error that shows no part of the answer, which may have a token */
function readTokenAnswer({ status, body }: PostAnswer): { readonly token: string; readonly lifetimeS: number } {
  if (status !== 200) throw new Error(`the token server answered ${status}`);
  const answer = parseRecord(body);
  const token = answer?.['access_token'];
  if (typeof token !== 'string') throw new Error('the token server answered without access_token');
  const type = answer?.['token_type'];
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
    throw new Error('the token server answered with a token of another type than bearer');
  }
  const lifetime = Number(answer?.['expires_in'] ?? DEFAULT_LIFETIME_S);
  const lifetimeS = Number.isFinite(lifetime) ? lifetime : DEFAULT_LIFETIME_S;
  return {
    token: checkedToken(token, 'the answer of the token server'),
    lifetimeS: Math.min(Math.max(lifetimeS, MIN_LIFETIME_S), MAX_LIFETIME_S),
  };
}
