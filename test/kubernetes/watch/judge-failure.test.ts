import test from 'ava';
import { ApiError } from '../../../src/kubernetes/client/api-error.js';
import { refusalText } from '../../../src/kubernetes/client/api-sender.js';
import { type Failure, judgeFailure } from '../../../src/kubernetes/watch/judge-failure.js';

const failure = (error: unknown, changes: Partial<Failure> = {}): Failure => ({
  error,
  verb: 'list',
  isLasting: false,
  misses: 1,
  isEmpty: false,
  ...changes,
});
const status = (code: number, details: object = {}): ApiError => new ApiError(code, { message: `${code}`, ...details });

test('a network error is reported at once, and the known objects stay', (t) => {
  const err = new Error('ECONNREFUSED');
  t.deepEqual(judgeFailure(failure(err)), { losesPlace: false, state: { type: 'failing', err } });
});

test('an expired version leads to a new list, without a report', (t) => {
  const tooLarge = status(504, { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } });
  for (const err of [status(410), tooLarge]) {
    t.deepEqual(judgeFailure(failure(err, { verb: 'watch' })), { losesPlace: true, state: undefined });
  }
});

test('a kind without known objects is missing at once, and a kind with objects after three misses', (t) => {
  const missing = { losesPlace: true, state: { type: 'missing' } };
  const undecided = { losesPlace: true, state: undefined };
  t.deepEqual(judgeFailure(failure(status(404), { isEmpty: true })), missing);
  t.deepEqual(judgeFailure(failure(status(404), { misses: 1 })), undecided);
  t.deepEqual(judgeFailure(failure(status(404), { misses: 2 })), undecided);
  t.deepEqual(judgeFailure(failure(status(404), { misses: 3 })), missing);
});

test('a refusal is believed when it lasts, and a refused watch is replaced by lists', (t) => {
  const err = status(403);
  t.deepEqual(judgeFailure(failure(err)), { losesPlace: false, state: undefined });
  t.deepEqual(judgeFailure(failure(err, { isLasting: true })), {
    losesPlace: false,
    state: { type: 'forbidden', verb: 'list', err },
  });
  t.deepEqual(judgeFailure(failure(err, { isLasting: true, verb: 'watch' })), {
    losesPlace: true,
    state: { type: 'forbidden', verb: 'watch', err },
  });
});

test('a busy API server is told of when it stays so, any other error at once', (t) => {
  t.is(judgeFailure(failure(status(429))).state, undefined);
  t.is(judgeFailure(failure(status(429), { isLasting: true })).state?.type, 'failing');
  for (const code of [401, 500, 502, 503, 504]) t.is(judgeFailure(failure(status(code))).state?.type, 'failing');
});

test('an API error has the text of the Status object, and any other body is accepted', (t) => {
  const body = { message: 'too many', reason: 'TooManyRequests', details: { retryAfterSeconds: 3 } };
  t.like(new ApiError(429, body), { message: 'too many', reason: 'TooManyRequests', retryAfterMs: 3_000 });
  t.like(new ApiError(429, body, '7'), { retryAfterMs: 7_000 });
  t.like(new ApiError(502, undefined), { message: 'the API server answered 502', reason: '', retryAfterMs: undefined });
  t.like(new ApiError(503, 'gone', 'Wed, 21 Oct 2026 07:28:00 GMT'), { retryAfterMs: undefined });
});

test('the text of a rejection by an API server is cut to the limit for logs', (t) => {
  const long = 'x'.repeat(1_000_000);
  const details = { causes: Array.from({ length: 1000 }, () => ({ reason: long })) };
  const error = new ApiError(500, { message: long, reason: long, details });
  t.true(JSON.stringify([error.message, error.reason, error.causes]).length < 20_000);
  const answer = { status: 500, body: { message: long }, retryAfterMs: undefined };
  t.true(refusalText(answer).length < 1100);
});
