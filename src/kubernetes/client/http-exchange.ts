import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

const KEEP_ALIVE_MS = 15_000;

/** No byte arrived for the allowed time. */
export class IdleError extends Error {
  constructor(idleMs: number) {
    super(`the API server sent nothing for ${idleMs} ms`);
    this.name = 'IdleError';
  }
}

export interface OutgoingRequest {
  readonly options: RequestOptions;
  readonly payload?: Buffer | undefined;
  /** The request and its answer are destroyed when no byte arrives for this long. Default: never. */
  readonly idleMs?: number;
}

/**
 * Settles with the head of the answer. The server may have closed a pooled connection at that moment, before it read
 * the request: then another connection is tried.
 */
export function sendRequest(url: URL, request: OutgoingRequest): Promise<IncomingMessage> {
  const { options, payload, idleMs } = request;
  return new Promise((resolve, reject) => {
    const outgoing = url.protocol === 'http:' ? requestHttp(url, options) : requestHttps(url, options);
    let answer: IncomingMessage | undefined;
    if (idleMs !== undefined) {
      // Destroying the request of a running answer would give the error "aborted" and no reason.
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

/** @throws when the answer ends early, or is longer than `maxBytes` */
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

/** HTTP proxies in front of an API server answer with pages of their own. */
export function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
