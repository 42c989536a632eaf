import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { createReviewQueue, type WaitingReview } from '../../../src/webhooks/admission/review-queue.js';
import { createFakeClock } from '../../support/fake-clock.js';

const LARGE = 3 << 20;

function createRig(maxParsedBytes = 1000) {
  const clock = createFakeClock();
  const queue = createReviewQueue({ clock, maxParsedBytes, maxWaitMs: 2000 });
  const begun: string[] = [];
  const ended = new Map<string, string>();
  const measured: string[] = [];
  const releases = new Map<string, () => void>();
  /** A review that runs until the test lets it end. */
  const send = (
    name: string,
    { source = 'a', isTrusted = false, bytes = LARGE, parsedBytes = 1, signal = new AbortController().signal } = {},
  ): void => {
    const review: WaitingReview = {
      caller: { source, isTrusted },
      bytes,
      parsedBytes: () => {
        measured.push(name);
        return parsedBytes;
      },
      signal,
    };
    void queue
      .run(review, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => releases.set(name, resolve));
      })
      .then((outcome) => ended.set(name, outcome.type === 'shed' ? outcome.reason : outcome.type));
  };
  const end = async (name: string): Promise<void> => {
    releases.get(name)?.();
    await turn();
  };
  return { clock, queue, begun, ended, measured, send, end };
}

test('two large reviews run at once, and the next one after one of them has ended', async (t) => {
  const { send, end, begun, ended } = createRig();
  for (const name of ['1', '2', '3']) send(name);
  await turn();
  t.deepEqual(begun, ['1', '2']);
  await end('1');
  t.deepEqual(begun, ['1', '2', '3']);
  t.is(ended.get('1'), 'done');
});

test('small reviews, and those of callers with a certificate, do not wait for large ones', async (t) => {
  const { send, begun } = createRig();
  for (const name of ['1', '2', '3']) send(name);
  send('small', { bytes: 10_000 });
  send('trusted', { isTrusted: true });
  await turn();
  t.deepEqual(begun, ['1', '2', 'small', 'trusted']);
});

test('the address whose last turn is the longest ago is next, with its smallest review', async (t) => {
  const { send, end, begun } = createRig();
  for (const name of ['a1', 'a2', 'a3']) send(name, { source: 'a' });
  send('b large', { source: 'b' });
  send('b small', { source: 'b', bytes: LARGE - 1 });
  await turn();
  for (const name of ['a1', 'a2', 'b small', 'a3']) await end(name);
  t.deepEqual(begun, ['a1', 'a2', 'b small', 'a3', 'b large']);
});

test('a review that would be too large when parsed is rejected', async (t) => {
  const { send, end, begun, ended } = createRig(1000);
  send('0', { parsedBytes: 250 });
  send('1', { parsedBytes: 250 });
  await turn();
  t.deepEqual(begun, ['0', '1']);
  send('2', { parsedBytes: 250 });
  await end('0');
  t.deepEqual(begun, ['0', '1', '2']);
  send('huge', { parsedBytes: 251 });
  await turn();
  t.is(ended.get('huge'), 'parsed-size');
});

test('reviews of callers with a certificate share a limit, and one of any size can run alone', async (t) => {
  const { send, end, begun } = createRig(1000);
  send('1', { isTrusted: true, parsedBytes: 300 });
  send('2', { isTrusted: true, parsedBytes: 300 });
  await turn();
  t.deepEqual(begun, ['1']);
  await end('1');
  send('huge', { isTrusted: true, parsedBytes: 10_000 });
  await turn();
  t.deepEqual(begun, ['1', '2']);
  await end('2');
  t.deepEqual(begun, ['1', '2', 'huge']);
});

test('a review that has waited two seconds is rejected', async (t) => {
  const { clock, send, begun, ended } = createRig();
  for (const name of ['1', '2', '3']) send(name);
  await turn();
  clock.advance(1999);
  await turn();
  t.false(ended.has('3'));
  clock.advance(1);
  await turn();
  t.is(ended.get('3'), 'queue-time');
  t.deepEqual(begun, ['1', '2']);
});

test('a full lane rejects a review unread, and makes room for another address', async (t) => {
  const { queue, send, ended, measured } = createRig();
  for (let index = 1; index <= 11; index++) send(String(index));
  await turn();
  t.is(ended.get('11'), 'queue-full');
  t.false(measured.includes('11'));
  t.true(queue.isFull({ source: 'a', isTrusted: false }, LARGE));
  t.false(queue.isFull({ source: 'b', isTrusted: false }, LARGE));
  t.false(queue.isFull({ source: 'a', isTrusted: false }, 1000));
  send('other', { source: 'b' });
  await turn();
  t.is(ended.get('10'), 'queue-full');
  t.false(ended.has('other'));
});

test('a review whose caller closed the connection does not run', async (t) => {
  const { send, end, begun, ended } = createRig();
  const abort = new AbortController();
  for (const name of ['1', '2']) send(name);
  send('gone', { signal: abort.signal });
  send('next');
  await turn();
  abort.abort();
  await end('1');
  t.deepEqual(begun, ['1', '2', 'next']);
  t.is(ended.get('gone'), 'gone');
});
