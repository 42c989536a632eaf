import type { RequestOptions } from 'node:http';
import { isRecord } from '../../base/record.js';
import { answerText } from './answer-text.js';
import { parseOrNothing, readWhole, sendRequest } from './http-exchange.js';

/** Where the API server is, and how to be let in: `ClusterAccess` of the cluster's source. */
export interface ApiAccess {
  /** Base of all URLs; may have a path. */
  readonly server: string;
  requestOptions(): Promise<RequestOptions>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Goes out as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
}

/** Whatever the API server answered, refusals too. */
export interface ApiAnswer {
  readonly status: number;
  /** The parsed JSON; undefined when it is none. */
  readonly body: unknown;
  /** What Retry-After asks for. */
  readonly retryAfterMs: number | undefined;
}

/** One request to the API server. Fails when there is no whole answer: the network, or nothing for too long. */
export type SendRequest = (request: ApiRequest) => Promise<ApiAnswer>;

export interface ApiSenderOptions {
  readonly userAgent: string;
  /** A request that has no whole answer by then has failed. */
  readonly timeoutMs: number;
}

/** Answers to what we write are an object each. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export function createApiSender(access: ApiAccess, { userAgent, timeoutMs }: ApiSenderOptions): SendRequest {
  return async ({ method, path, query = {}, body, contentType = 'application/json' }) => {
    const url = new URL(access.server + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options = await access.requestOptions();
    const headers = {
      ...options.headers,
      accept: 'application/json',
      'user-agent': userAgent,
      ...(payload === undefined ? {} : { 'content-type': contentType, 'content-length': payload.length }),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await sendRequest(url, { options: { ...options, method, headers, signal }, payload });
    const seconds = Number(answer.headers['retry-after']);
    return {
      status: answer.statusCode ?? 0,
      body: parseOrNothing(await readWhole(answer, MAX_ANSWER_BYTES)),
      retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
    };
  };
}

/** What the API server says about a refusal. */
export function refusalText({ status, body }: ApiAnswer): string {
  const message = isRecord(body) ? answerText(body['message']) : '';
  return message === '' ? `the API server answered ${status}` : message;
}
