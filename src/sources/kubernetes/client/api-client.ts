import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ApiError } from './api-error.js';
import type { ClusterAccess } from './cluster-access.js';

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface JsonAnswer {
  readonly body: unknown;
  /** Texts of the API server's Warning headers, as of a deprecated API. */
  readonly warnings: readonly string[];
}

/** Reads from one API server. Everything fails with ApiError, or with a network error. */
export interface ApiClient {
  /** A whole answer; fails when nothing arrives for `idleMs`. */
  getJson(path: string, query: Query, limits: RequestLimits): Promise<JsonAnswer>;
  /** An answer that goes on; destroyed when nothing arrives for `idleMs`. */
  open(path: string, query: Query, limits: RequestLimits): Promise<IncomingMessage>;
}

export interface RequestLimits {
  readonly signal: AbortSignal;
  readonly idleMs: number;
}

/** Longest answer that is read; a page of 500 objects has a few MiB. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;

/** Nothing arrived for as long as something should have. */
export class IdleError extends Error {
  constructor(idleMs: number) {
    super(`the API server sent nothing for ${idleMs} ms`);
    this.name = 'IdleError';
  }
}

export function createApiClient(access: ClusterAccess, userAgent: string): ApiClient {
  const send = async (path: string, query: Query, { signal, idleMs }: RequestLimits): Promise<IncomingMessage> => {
    const url = new URL(access.server + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const options = await orAborted(access.requestOptions(), signal);
    const headers = { ...options.headers, accept: 'application/json', 'user-agent': userAgent };
    const complete: RequestOptions = { ...options, method: 'GET', headers, signal };
    return await sendRequest(url, complete, idleMs);
  };

  const open = async (path: string, query: Query, limits: RequestLimits): Promise<IncomingMessage> => {
    const answer = await send(path, query, limits);
    const status = answer.statusCode ?? 0;
    if (status === 200) return answer;
    const text = (await readWhole(answer)).toString('utf8');
    throw new ApiError(status, parseOrNothing(text), answer.headers['retry-after']);
  };

  return {
    open,
    getJson: async (path, query, limits) => {
      const answer = await open(path, query, limits);
      const warnings = warningsOf(answer);
      return { body: JSON.parse((await readWhole(answer)).toString('utf8')), warnings };
    },
  };
}

/** A credential program may take long, and a stop does not wait for it. */
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

/** Settles with the answer's begin. A pooled connection may have been closed just then: another is tried. */
function sendRequest(url: URL, options: RequestOptions, idleMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = url.protocol === 'http:' ? requestHttp(url, options) : requestHttps(url, options);
    let answer: IncomingMessage | undefined;
    // Destroyed at the request, an answer that has begun would end with a mere "aborted".
    outgoing.setTimeout(idleMs, () => (answer ?? outgoing).destroy(new IdleError(idleMs)));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(sendRequest(url, options, idleMs));
      else reject(error);
    });
    outgoing.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
    outgoing.on('response', (begun) => {
      answer = begun;
      resolve(begun);
    });
    outgoing.end();
  });
}

async function readWhole(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`the API server's answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Proxies before an API server answer with pages of their own. */
function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `299 - "v1 Endpoints is deprecated in v1.33+; use …"` */
function warningsOf(answer: IncomingMessage): readonly string[] {
  const header = answer.headers['warning'];
  return [...(header ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replaceAll('\\"', '"'));
}
