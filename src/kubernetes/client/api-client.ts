import type { IncomingMessage } from 'node:http';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';
import { ApiError } from './api-error.js';
import type { ClusterAccess } from './cluster-access.js';
import { parseOrNothing, readWhole, sendRequest } from './http-exchange.js';

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface JsonAnswer {
  readonly body: unknown;
  /** Texts of the API server's Warning headers, for example about a deprecated API. */
  readonly warnings: readonly string[];
}

/** Reads from one API server. Errors are ApiError or errors of the network. */
export interface ApiClient {
  /** Reads a whole answer; fails when no byte arrives for `idleMs`. */
  getJson(path: string, query: Query, limits: RequestLimits): Promise<JsonAnswer>;
  /** Opens an answer that is read as a stream; the stream is destroyed when no byte arrives for `idleMs`. */
  open(path: string, query: Query, limits: RequestLimits): Promise<IncomingMessage>;
}

export interface RequestLimits {
  readonly signal: AbortSignal;
  readonly idleMs: number;
}

/** Longest accepted answer; a page of 500 objects has a few MiB. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** @param outgoing records each request; default: none does */
export function createApiClient(access: ClusterAccess, userAgent: string, outgoing?: OutgoingCalls): ApiClient {
  const send = async (path: string, query: Query, { signal, idleMs }: RequestLimits): Promise<IncomingMessage> => {
    const url = new URL(access.server + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const options = await orAborted(access.requestOptions(), signal);
    const headers = { ...options.headers, accept: 'application/json', 'user-agent': userAgent };
    return await sendRequest(url, { options: { ...options, method: 'GET', headers, signal }, idleMs });
  };

  const openOnce = async (path: string, query: Query, limits: RequestLimits): Promise<IncomingMessage> => {
    const answer = await send(path, query, limits);
    const status = answer.statusCode ?? 0;
    if (status === 200) return answer;
    const text = await readWhole(answer, MAX_ANSWER_BYTES);
    throw new ApiError(status, parseOrNothing(text), answer.headers['retry-after']);
  };
  const open: ApiClient['open'] = (path, query, limits) => {
    const call = () => openOnce(path, query, limits);
    return outgoing === undefined ? call() : outgoing.run('api_server', access.server + path, call);
  };

  return {
    open,
    getJson: async (path, query, limits) => {
      const answer = await open(path, query, limits);
      const warnings = warningsOf(answer);
      return { body: parse(await readWhole(answer, MAX_ANSWER_BYTES)), warnings };
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the answer, which can contain a secret.
    throw new Error('the API server answered with what is no JSON');
  }
}

/** A credential program can take long; a stop does not wait for it. */
async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** `299 - "v1 Endpoints is deprecated in v1.33+; use …"` */
function warningsOf(answer: IncomingMessage): readonly string[] {
  const header = answer.headers['warning'];
  return [...(header ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replaceAll('\\"', '"'));
}
