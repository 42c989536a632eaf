import { PassThrough } from 'node:stream';
import test from 'ava';
import { LimitError } from '../../src/xds/limits/xds-limits.js';
import { readRequests } from '../../src/xds/request-intake.js';
import type { RawCall } from '../../src/xds/shared-write.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';

function createSubject(perSecond: number, reception: () => number | Promise<number> = () => 1) {
  const call = new PassThrough({ objectMode: true });
  const clock = createFakeClock();
  const received: string[] = [];
  const failures: unknown[] = [];
  let tooFast = 0;
  const stop = readRequests({
    call: call as unknown as RawCall,
    limits: { firstRequestMs: 30_000, requestsPerSecond: perSecond },
    clock,
    receive: (message) => {
      received.push(message.toString());
      return reception();
    },
    fail: (error) => failures.push(error),
    onTooFast: () => tooFast++,
  });
  return { call, clock, received, failures, stop, tooFast: () => tooFast };
}

test('a stream without a request ends after its time, with the setting', (t) => {
  const { clock, failures } = createSubject(100);
  clock.advance(29_999);
  t.is(failures.length, 0);
  clock.advance(1);
  const [error] = failures;
  t.true(error instanceof LimitError && error.code === 'DEADLINE_EXCEEDED');
  t.regex(String(error), /NAV_XDS_FIRST_REQUEST_TIMEOUT/);
});

test('a stream that has sent a request may be silent', async (t) => {
  const { call, clock, received, failures } = createSubject(100);
  call.write(Buffer.from('one'));
  await eventually('the request', () => received.length === 1);
  clock.advance(1_000_000);
  t.is(failures.length, 0);
});

test('requests beyond the rate wait, and are read later', async (t) => {
  const { call, clock, received, tooFast } = createSubject(1);
  for (let index = 0; index < 13; index++) call.write(Buffer.from(`${index}`));
  await eventually('the burst', () => received.length === 11);
  t.is(tooFast(), 1);
  clock.advance(1_000);
  await eventually('one more', () => received.length === 12);
  clock.advance(1_000);
  await eventually('the last', () => received.length === 13);
});

test('the next request is read after the one before is handled', async (t) => {
  let finish = (): void => undefined;
  const { call, received } = createSubject(
    100,
    () =>
      new Promise((resolve) => {
        finish = () => resolve(1);
      }),
  );
  call.write(Buffer.from('one'));
  call.write(Buffer.from('two'));
  await eventually('the first', () => received.length === 1);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(received, ['one']);
  finish();
  await eventually('the second', () => received.length === 2);
});
