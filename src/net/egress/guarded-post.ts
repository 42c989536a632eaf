import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { errorText } from '../../base/error-text.js';
import type { EgressRules } from './egress-rules.js';
import { FetchError, parseTarget, readBounded } from './guarded-fetch.js';
import { createGuardedLookup, type ResolveName } from './guarded-lookup.js';

/** A form to send. */
export interface PostedForm {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Trusted roots of the server, PEM; default: the roots of the system. */
  readonly roots?: readonly string[];
}

export interface PostAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a form over https to an address that the rules allow. Redirects are answers too, because the form may have secrets.
 *
 * @throws FetchError without an answer. Its message has nothing of form and headers
 */
export type PostForm = (posted: PostedForm) => Promise<PostAnswer>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

export function createGuardedPost(rules: EgressRules, resolveName?: ResolveName): PostForm {
  const lookup = createGuardedLookup(rules, resolveName);
  return async ({ url, form, headers = {}, roots }) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const body = new URLSearchParams(form).toString();
    try {
      const call = request(parseTarget(url, rules, false), {
        method: 'POST',
        // A reused connection would skip the lookup.
        agent: false,
        lookup,
        signal,
        minVersion: 'TLSv1.2',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
        ...(roots === undefined ? {} : { ca: [...roots] }),
      });
      call.end(body);
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      // Reading the body reports errors after this point.
      call.on('error', () => undefined);
      return { status: answer.statusCode ?? 0, body: await readBounded(answer, MAX_BYTES) };
    } catch (cause) {
      const late = signal.aborted ? `no complete response within ${TIMEOUT_MS / 1000}s` : undefined;
      throw new FetchError(url, late ?? errorText(cause), { cause });
    }
  };
}
