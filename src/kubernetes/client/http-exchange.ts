import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

const KEEP_ALIVE_MS = 15_000;

/** Nothing arrived for as long as something should have. */
export class IdleError extends Error {
  constructor(idleMs: number) {
    super(`the API server sent nothing for ${idleMs} ms`);
    this.name = 'IdleError';
  }
}

export interface OutgoingRequest {
  readonly options: RequestOptions;
  readonly payload?: Buffer | undefined;
  /** The answer, or the wait for it, is destroyed when nothing arrives for so long. Default: never. */
  readonly idleMs?: number;
}

/**
 * Settles with the answer's begin. A pooled connection may have been closed just then: nothing was read of the
 * request, and another is tried.
 */
export function sendRequest(url: URL, request: OutgoingRequest): Promise<IncomingMessage> {
  const { options, payload, idleMs } = request;
  return new Promise((resolve, reject) => {
    const outgoing = url.protocol === 'http:' ? requestHttp(url, options) : requestHttps(url, options);
    let answer: IncomingMessage | undefined;
    if (idleMs !== undefined) {
      // Destroyed at the request, an answer that has begun would end with a mere "aborted".
      outgoing.setTimeout(idleMs, () => (answer ?? outgoing).destroy(new IdleError(idleMs)));
    }
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = answer === undefined && outgoing.reusedSocket && error.code === 'ECONNRESET';
      if (wasClosed) resolve(sendRequest(url, request));
      else reject(error);
    });
    outgoing.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
    outgoing.on('response', (begun) => {
      answer = begun;
      resolve(begun);
    });
    outgoing.end(payload);
  });
}

/** @throws when the answer ends early, or is longer than that. */
export async function readWhole(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the API server's answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Proxies before an API server answer with pages of their own. */
export function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
