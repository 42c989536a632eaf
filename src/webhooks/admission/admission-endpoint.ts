import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { AdmissionAnswer, AdmissionCall, AdmissionHandler } from './admission-answer.js';
import type { AdmissionRequest } from './admission-request.js';
import { type DecodedReview, decodeReview } from './decode-review.js';
import { encodeReview } from './encode-review.js';
import { estimateParsedBytes } from './json-text.js';
import { type ReadBody, readBody } from './read-body.js';
import { type ReviewCaller, reviewCallerOf } from './review-caller.js';
import { type ReviewIntake, type ShedReason, shedText } from './review-intake.js';
import { SMALL_BODY_BYTES } from './review-queue.js';
import type { WorkPace } from './work-pace.js';

/** Counts calls that end before the handler runs. */
export interface AdmissionObserver {
  received?(): void;
  /** The answer is an HTTP error: no body, wrong type, too long, overload, timeout, or an exception of the handler. */
  httpError?(status: number): void;
  /** The body is not a review. */
  undecodable?(): void;
}

export interface AdmissionEndpointOptions {
  readonly handler: AdmissionHandler;
  readonly observer: AdmissionObserver;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Shared by all endpoints of a server. */
  readonly intake: ReviewIntake;
  /** Default 3 MiB: the largest object of an API server, old and new version. */
  readonly maxBodyBytes?: number;
  /** Maximum time of an answer, even if the API server waits longer. Default 10,000 ms, the default of API servers. */
  readonly timeLimitMs?: number;
}

export type AdmissionEndpoint = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const JSON_TYPE = 'application/json';
const DEFAULT_MAX_BODY_BYTES = 3 * 1024 * 1024;
const DEFAULT_TIME_LIMIT_MS = 10_000;
const FAILED = 'the request could not be reviewed; the log of this server has the error';

/** Serves one admission handler over HTTP (docs/reference/webhooks.md#common-envelope). The promise never rejects. */
export function createAdmissionEndpoint(options: AdmissionEndpointOptions): AdmissionEndpoint {
  const { observer, intake, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  return async (request, response) => {
    observer.received?.();
    const caller = reviewCallerOf(request);
    const fail = (status: number, text: string): void => {
      observer.httpError?.(status);
      sendError(response, status, text);
    };
    const shed = (reason: ShedReason): void => {
      intake.shed(caller, reason);
      const text = shedText(reason, intake.queue.maxWaitMs);
      // API servers retry by themselves within their timeout.
      if (reason !== 'parsed-size' && !response.headersSent) response.setHeader('Retry-After', '1');
      fail(reason === 'parsed-size' ? 413 : 503, text);
    };
    const length = declaredLength(request);
    if (intake.queue.isFull(caller, length)) return shed('queue-full');
    const isSmall = length !== undefined && length <= SMALL_BODY_BYTES;
    const body = await readBody(request, maxBodyBytes, intake.budget, { caller, isSmall });
    switch (body.type) {
      case 'cut-off':
        return;
      case 'too-long':
        return fail(413, `the body is longer than ${maxBodyBytes} bytes`);
      case 'busy':
        return shed('bytes');
      case 'body':
        try {
          await answer(body, request, response, { ...options, caller, fail, shed });
        } finally {
          body.release();
        }
    }
  };
}

interface AnswerOptions extends AdmissionEndpointOptions {
  readonly caller: ReviewCaller;
  fail(status: number, text: string): void;
  shed(reason: ShedReason): void;
}

async function answer(
  body: Extract<ReadBody, { readonly type: 'body' }>,
  request: IncomingMessage,
  response: ServerResponse,
  options: AnswerOptions,
): Promise<void> {
  const { intake, caller, clock, fail, shed } = options;
  const { bytes } = body;
  if (bytes.length === 0) return fail(400, 'no body found');
  if (request.headers['content-type'] !== JSON_TYPE) return fail(415, `invalid Content-Type, want \`${JSON_TYPE}\``);
  const startMs = clock.monotonicMs();
  const abort = new AbortController();
  const hangUp = (): void => abort.abort();
  response.once('close', hangUp);
  body.onCutOff(() => {
    shed('bytes');
    abort.abort();
  });
  const review = { caller, bytes: bytes.length, parsedBytes: () => estimateParsedBytes(bytes), signal: abort.signal };
  try {
    const outcome = await intake.queue.run(review, async (pace) => {
      body.begin();
      const decoded = await pace.run(() => decodeReview(bytes), abort.signal);
      const waitedMs = clock.monotonicMs() - startMs;
      return { decoded, ...(await outcomeOf(decoded, request, { ...options, abort, pace, waitedMs })) };
    });
    if (outcome.type === 'shed') return shed(outcome.reason);
    if (outcome.type === 'gone') return;
    const { result } = outcome;
    if (result.type === 'failed') {
      if (!response.destroyed) fail(result.status, result.text);
      return;
    }
    send(response, 200, JSON_TYPE, encodeReview(result.decoded.envelope, result.answer));
  } catch (err) {
    // The caller has closed the connection.
    if (abort.signal.aborted) return;
    options.logger.error({ err, url: request.url }, 'admission review could not be answered');
    fail(500, FAILED);
  } finally {
    response.off('close', hangUp);
  }
}

/** Undefined if the header is missing or invalid. */
function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

interface OutcomeOptions extends AnswerOptions {
  readonly abort: AbortController;
  readonly pace: WorkPace;
  /** Time since the body was complete. */
  readonly waitedMs: number;
}

type Outcome =
  | { readonly type: 'answered'; readonly answer: AdmissionAnswer }
  /** The caller may have closed the connection. */
  | { readonly type: 'failed'; readonly status: number; readonly text: string };

async function outcomeOf(review: DecodedReview, request: IncomingMessage, options: OutcomeOptions): Promise<Outcome> {
  const { handler, observer, logger, clock, abort, pace, waitedMs, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = options;
  if (review.type === 'undecodable') {
    observer.undecodable?.();
    return { type: 'answered', answer: { allowed: false, message: `could not decode body: ${review.reason}` } };
  }
  const { path, query } = splitUrl(request.url ?? '/');
  const limitMs = Math.min(timeLimitMs, callersLimitMs(query) ?? timeLimitMs);
  const { uid, kind } = review.request;
  try {
    const call = { path, signal: abort.signal, pace };
    const answer = await within(limitMs - waitedMs, clock, abort, handler, review.request, call);
    if (answer !== undefined) return { type: 'answered', answer };
    if (!request.socket.destroyed) logger.warn({ path, limitMs, uid }, 'admission handler took too long');
    return { type: 'failed', status: 504, text: `no answer within ${limitMs} ms` };
  } catch (err) {
    logger.error({ err, path, uid, kind: kind.kind }, 'admission handler failed');
    return { type: 'failed', status: 500, text: FAILED };
  }
}

/** @returns undefined if the time ran out or the caller closed the connection before the answer */
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
  // A response after the deadline is dropped, errors too.
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

/** API servers send their timeout: `?timeout=10s`. */
function callersLimitMs(query: URLSearchParams): number | undefined {
  const seconds = /^([1-9][0-9]?)s$/.exec(query.get('timeout') ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function sendError(response: ServerResponse, status: number, text: string): void {
  // The rest of an unread body would be parsed as the next request.
  if (!response.headersSent) response.setHeader('Connection', 'close');
  send(response, status, 'text/plain; charset=utf-8', `${text}\n`);
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
