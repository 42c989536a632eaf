import type { RequestOptions } from 'node:http';
import { isRecord } from '../../base/record.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';
import { answerText } from './api-error.js';
import { parseOrNothing, readWhole, sendRequest } from './http-exchange.js';

/** Address of the API server and the credentials for it: the `ClusterAccess` of the cluster's source. */
export interface ApiAccess {
  /** Base of all URLs; may have a path. */
  readonly server: string;
  requestOptions(): Promise<RequestOptions>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
}

/** An answer of the API server; a rejection is an answer too. */
export interface ApiAnswer {
  readonly status: number;
  /** The parsed JSON; undefined when the body is not JSON. */
  readonly body: unknown;
  /** The wait that Retry-After asks for. */
  readonly retryAfterMs: number | undefined;
}

/** Sends one request. Rejects without a whole answer: an error of the network, or a timeout. */
export type SendRequest = (request: ApiRequest) => Promise<ApiAnswer>;

export interface ApiSenderOptions {
  readonly userAgent: string;
  /** A request without a whole answer after this time has failed. */
  readonly timeoutMs: number;
  /** Records each request; default: none does. */
  readonly outgoing?: OutgoingCalls | undefined;
}

/** Longest accepted answer: the answer to a write is one object. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export function createApiSender(access: ApiAccess, { userAgent, timeoutMs, outgoing }: ApiSenderOptions): SendRequest {
  const send: SendRequest = async ({ method, path, query = {}, body, contentType = 'application/json' }) => {
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
  if (outgoing === undefined) return send;
  return (request) => {
    const subject = `${request.method} ${access.server}${request.path}`;
    return outgoing.run('api_server', subject, () => send(request), isFailedAnswer);
  };
}

/** Other answers, such as 404 and 409, say what the cluster has. */
function isFailedAnswer({ status }: ApiAnswer): boolean {
  return status >= 500 || status === 429;
}

/** The text of a rejection by the API server. */
export function refusalText({ status, body }: ApiAnswer): string {
  const message = isRecord(body) ? answerText(body['message']) : '';
  return message === '' ? `the API server answered ${status}` : message;
}
