import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../telemetry/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { AdmissionAnswer, AdmissionCall, AdmissionHandler } from './admission-answer.js';
import type { AdmissionRequest } from './admission-request.js';
import type { BodyBudget } from './body-budget.js';
import { type DecodedReview, decodeReview } from './decode-review.js';
import { encodeReview } from './encode-review.js';
import { readBody } from './read-body.js';
import { createWorkPace, type WorkPace } from './work-pace.js';

/** What became of calls before a handler saw them, for metrics (BEHAVIOUR 3, "Common envelope"). */
export interface AdmissionObserver {
  received?(): void;
  /** Answered with an HTTP error: no body, not JSON, too long, too busy, too slow, a handler's exception. */
  httpError?(status: number): void;
  /** Refused because the body is no review. */
  undecodable?(): void;
}

export interface AdmissionEndpointOptions {
  readonly handler: AdmissionHandler;
  readonly observer: AdmissionObserver;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Shared by all endpoints of a server. */
  readonly budget: BodyBudget;
  /** Default 3 MiB, the most that an API server stores of one object twice over. */
  readonly maxBodyBytes?: number;
  /** The most that an answer may take, even where the API server waits longer. Default 10,000 ms, its own default. */
  readonly timeLimitMs?: number;
}

export type AdmissionEndpoint = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const JSON_TYPE = 'application/json';
const DEFAULT_MAX_BODY_BYTES = 3 * 1024 * 1024;
const DEFAULT_TIME_LIMIT_MS = 10_000;
const FAILED = 'the request could not be judged; the log of this server has the error';

/** Serves one admission handler over HTTP. The promise never rejects. */
export function createAdmissionEndpoint(options: AdmissionEndpointOptions): AdmissionEndpoint {
  const { observer, budget, clock, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  const pace = createWorkPace(clock);
  return async (request, response) => {
    observer.received?.();
    const fail = (status: number, text: string): void => {
      observer.httpError?.(status);
      sendError(response, status, text);
    };
    const body = await readBody(request, maxBodyBytes, budget);
    switch (body.type) {
      case 'cut-off':
        return;
      case 'too-long':
        return fail(413, `the body is longer than ${maxBodyBytes} bytes`);
      case 'busy':
        return fail(503, 'too many requests at once; try again');
      case 'body':
        try {
          await answer(body.bytes, request, response, { ...options, pace, fail });
        } finally {
          body.release();
        }
    }
  };
}

interface AnswerOptions extends AdmissionEndpointOptions {
  readonly pace: WorkPace;
  fail(status: number, text: string): void;
}

async function answer(
  body: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  options: AnswerOptions,
): Promise<void> {
  const { pace, fail } = options;
  if (body.length === 0) return fail(400, 'no body found');
  if (request.headers['content-type'] !== JSON_TYPE) return fail(415, `invalid Content-Type, want \`${JSON_TYPE}\``);
  const abort = new AbortController();
  const hangUp = (): void => abort.abort();
  response.once('close', hangUp);
  try {
    const review = await pace.run(() => decodeReview(body), abort.signal);
    const outcome = await outcomeOf(review, request, abort, options);
    if (outcome.type === 'answered') send(response, 200, JSON_TYPE, encodeReview(review.envelope, outcome.answer));
    else if (!response.destroyed) fail(outcome.status, outcome.text);
  } catch (err) {
    // Whoever hung up before its turn came is not answered.
    if (abort.signal.aborted) return;
    options.logger.error({ err, url: request.url }, 'admission review could not be answered');
    fail(500, FAILED);
  } finally {
    response.off('close', hangUp);
  }
}

type Outcome =
  | { readonly type: 'answered'; readonly answer: AdmissionAnswer }
  /** Nobody may be there to hear it. */
  | { readonly type: 'failed'; readonly status: number; readonly text: string };

async function outcomeOf(
  review: DecodedReview,
  request: IncomingMessage,
  abort: AbortController,
  options: AdmissionEndpointOptions,
): Promise<Outcome> {
  const { handler, observer, logger, clock, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = options;
  if (review.type === 'undecodable') {
    observer.undecodable?.();
    return { type: 'answered', answer: { allowed: false, message: `could not decode body: ${review.reason}` } };
  }
  const { path, query } = splitUrl(request.url ?? '/');
  const limitMs = Math.min(timeLimitMs, callersLimitMs(query) ?? timeLimitMs);
  const { uid, kind } = review.request;
  try {
    const answer = await within(limitMs, clock, abort, handler, review.request, { path, signal: abort.signal });
    if (answer !== undefined) return { type: 'answered', answer };
    if (!request.socket.destroyed) logger.warn({ path, limitMs, uid }, 'admission handler took too long');
    return { type: 'failed', status: 504, text: `no answer within ${limitMs} ms` };
  } catch (err) {
    logger.error({ err, path, uid, kind: kind.kind }, 'admission handler failed');
    return { type: 'failed', status: 500, text: FAILED };
  }
}

/** @returns undefined when the time was up, or the caller gone, before there was an answer. */
async function within(
  limitMs: number,
  clock: Clock,
  abort: AbortController,
  handler: AdmissionHandler,
  request: AdmissionRequest,
  call: AdmissionCall,
): Promise<AdmissionAnswer | undefined> {
  const answer = handler(request, call);
  if (!(answer instanceof Promise)) return answer;
  const cancel = clock.schedule(limitMs, () => abort.abort());
  const gone = new Promise<undefined>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  // What comes too late is nobody's any more, an error of it included.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, gone]);
  } finally {
    cancel();
  }
}

function splitUrl(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const start = url.indexOf('?');
  if (start === -1) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, start), query: new URLSearchParams(url.slice(start + 1)) };
}

/** API servers say how long they wait: `?timeout=10s`. */
function callersLimitMs(query: URLSearchParams): number | undefined {
  const seconds = /^([1-9][0-9]?)s$/.exec(query.get('timeout') ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function sendError(response: ServerResponse, status: number, text: string): void {
  // The rest of a body that is not read would be taken for the next request.
  if (!response.headersSent) response.setHeader('Connection', 'close');
  send(response, status, 'text/plain; charset=utf-8', `${text}\n`);
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
