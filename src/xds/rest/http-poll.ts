import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { WireMessage } from '../../envoy/wire-message.js';
import type { StreamError, StreamErrorCode } from '../stream-error.js';
import type { RestPoll } from './rest-stream.js';

const HTTP_STATUS: Readonly<Record<StreamErrorCode, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  UNIMPLEMENTED: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

export interface HttpPollOptions {
  readonly response: ServerResponse;
  readonly peer: string;
  readonly mayWait: boolean;
  /** Called once, when the poll has been answered or its connection has closed. */
  onOver(): void;
}

/** A poll over HTTP/1.1. */
export class HttpPoll implements RestPoll {
  readonly peer: string;
  readonly mayWait: boolean;
  readonly #response: ServerResponse;
  readonly #onOver: () => void;
  #isOver = false;

  constructor({ response, peer, mayWait, onOver }: HttpPollOptions) {
    this.peer = peer;
    this.mayWait = mayWait;
    this.#response = response;
    this.#onOver = onOver;
    response.once('close', () => this.#finish());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  answer({ pieces, byteLength }: WireMessage, done: (error?: Error) => void): void {
    const response = this.#response;
    if (this.#isOver || response.destroyed) {
      done(new Error('the connection has closed'));
      return;
    }
    // Calls back once, with an error if it closes before it has finished.
    finished(response, { readable: false }, (error) => done(error ?? undefined));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': byteLength });
    response.cork();
    for (const piece of pieces) response.write(piece);
    response.end();
    response.uncork();
    this.#finish();
  }

  unchanged(): void {
    if (this.#isOver) return;
    this.#response.writeHead(304).end();
    this.#finish();
  }

  fail(error: StreamError): void {
    if (this.#isOver) return;
    sendError(this.#response, error);
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
  }
}

/** Answers with the status of an error, and its message as text. */
export function sendError(response: ServerResponse, { code, message }: StreamError, status = HTTP_STATUS[code]): void {
  if (response.headersSent || response.destroyed) return;
  const retry = status === 429 || status === 503 ? { 'Retry-After': '1' } : {};
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...retry }).end(`${message}\n`);
}
