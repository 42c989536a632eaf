import type { HeaderValue } from '../generated/envoy/config/core/v3/HeaderValue.js';
import type { RetryPolicy } from '../generated/envoy/config/core/v3/RetryPolicy.js';
import type { AuthorizationResponse } from '../generated/envoy/extensions/filters/http/ext_authz/v3/AuthorizationResponse.js';
import type { HttpService } from '../generated/envoy/extensions/filters/http/ext_authz/v3/HttpService.js';
import type { ListStringMatcher } from '../generated/envoy/type/matcher/v3/ListStringMatcher.js';
import { duration } from './durations.js';
import { buildRetryPolicy, literal, type ServiceRetries } from './service-retries.js';
import { stringMatcher } from './string-matcher.js';

/** An authorization server that Envoy asks over HTTP/1.1, with the method, path and headers of the request. */
export interface HttpCheckServiceOptions {
  readonly cluster: string;
  /** Timeout of one call with all its retries. */
  readonly timeoutMs: number;
  readonly retries: ServiceRetries;
  /** Headers that Envoy adds; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same, with format strings of access logs as values. A header without a value is left out. */
  readonly formattedHeaders: Readonly<Record<string, string>>;
  /** The names of headers of answers that replace those of the request. */
  readonly requestHeaders: readonly string[];
  /** The names of headers of answers that allowed requests get in their responses. */
  readonly responseHeaders: readonly string[];
  /**
   * The names of headers that begin so are for this exchange alone: those of callers do not reach the server, and those
   * of answers become dynamic metadata.
   */
  readonly ownPrefix: string;
  /** Headers of refusals that begin so do not reach callers, except those of `shownPrefix`. */
  readonly hiddenPrefixes: readonly string[];
  readonly shownPrefix: string;
}

/** The field that Envoy has had for longer than the messages of the build (later-fields.json). */
export type LaterHttpService = HttpService & { readonly retryPolicy: RetryPolicy };

export function buildHttpCheckService(options: HttpCheckServiceOptions): LaterHttpService {
  const { cluster, timeoutMs, retries, headers, formattedHeaders } = options;
  return {
    // Envoy calls the cluster. The URI is only required.
    serverUri: { uri: `http://${CHECK_HOST}`, cluster, timeout: duration(timeoutMs) },
    authorizationRequest: {
      headersToAdd: [
        ...Object.entries(headers).map(([key, value]): HeaderValue => ({ key, value: literal(value) })),
        ...Object.entries(formattedHeaders).map(([key, value]): HeaderValue => ({ key, value })),
      ],
    },
    authorizationResponse: buildAnswerHeaders(options),
    retryPolicy: buildRetryPolicy(retries, timeoutMs, NOT_ANSWERED),
  };
}

const CHECK_HOST = 'policy';

/** Calls that did not get an answer, beside those that did not reach a server. */
const NOT_ANSWERED = 'reset,gateway-error';

function buildAnswerHeaders({
  requestHeaders,
  responseHeaders,
  ownPrefix,
  hiddenPrefixes,
  shownPrefix,
}: HttpCheckServiceOptions): AuthorizationResponse {
  return {
    allowedUpstreamHeaders: namesOf(requestHeaders),
    allowedClientHeadersOnSuccess: namesOf(responseHeaders),
    allowedClientHeaders: {
      patterns: [...namesWithout(hiddenPrefixes), { type: 'prefix', value: shownPrefix } as const].map(stringMatcher),
    },
    dynamicMetadataFromHeaders: { patterns: [stringMatcher({ type: 'prefix', value: ownPrefix })] },
  };
}

function namesOf(names: readonly string[]): ListStringMatcher {
  return { patterns: names.map((value) => stringMatcher({ type: 'exact', value })) };
}

/** Matches all names that do not begin with one of the prefixes: RE2 has no negation. */
function namesWithout(prefixes: readonly string[]): readonly { readonly type: 'regex'; readonly value: string }[] {
  const nextChars = new Map<string, Set<string>>();
  for (const prefix of prefixes) {
    for (const [at, char] of [...prefix].entries()) {
      const beginning = prefix.slice(0, at);
      nextChars.set(beginning, (nextChars.get(beginning) ?? new Set()).add(char));
    }
  }
  return [...nextChars].map(([beginning, chars]) => ({
    type: 'regex',
    value: `${beginning}[^${[...chars].join('')}].*`,
  }));
}
