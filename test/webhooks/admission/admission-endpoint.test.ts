import { once } from 'node:events';
import { createServer, type RequestOptions, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { AdmissionAnswer, AdmissionHandler } from '../../../src/webhooks/admission/admission-answer.js';
import {
  type AdmissionEndpointOptions,
  createAdmissionEndpoint,
} from '../../../src/webhooks/admission/admission-endpoint.js';
import { createReviewIntake } from '../../../src/webhooks/admission/review-intake.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { type Reply, reviewOf } from '../fixtures/reviews.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const allow: AdmissionHandler = () => ({ allowed: true });
const never: AdmissionHandler = () => new Promise(() => undefined);

async function serve(t: ExecutionContext, handler: AdmissionHandler, options: Partial<AdmissionEndpointOptions> = {}) {
  const events: string[] = [];
  const logger = createRecordingLogger();
  const { clock = createFakeClock() } = options;
  const endpoint = createAdmissionEndpoint({
    handler,
    observer: {
      received: () => events.push('received'),
      httpError: (status) => events.push(`http ${status}`),
      undecodable: () => events.push('undecodable'),
    },
    logger,
    clock,
    intake: createReviewIntake({ clock }),
    ...options,
  });
  const server = createServer((incoming, response) => void endpoint(incoming, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, events, logger };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type: string | undefined;
}

function post(port: number, body: unknown, options: RequestOptions = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', method: 'POST', headers: JSON_TYPE, agent: false, ...options });
    call.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          type: response.headers['content-type'],
        }),
      );
    });
    call.end(text);
  });
}

const replyOf = ({ text }: Answer): Reply['response'] => (JSON.parse(text) as Reply).response;

test('the handler gets path and request of a review, and its answer is sent', async (t) => {
  const asked: string[] = [];
  const { port, events } = await serve(t, ({ name, operation }, { path }) => {
    asked.push(`${path} ${operation} ${name}`);
    return { allowed: false, message: 'not today' };
  });
  const answer = await post(port, reviewOf(), { path: '/inject/cluster/a/net/b?timeout=10s' });
  t.is(answer.status, 200);
  t.is(answer.type, 'application/json');
  t.like(replyOf(answer), { allowed: false, status: { message: 'not today' } });
  t.deepEqual(asked, ['/inject/cluster/a/net/b CREATE limits']);
  t.deepEqual(events, ['received']);
});

test('a request without a body is 400 with any Content-Type', async (t) => {
  const { port, events } = await serve(t, allow);
  t.deepEqual(await post(port, '', { headers: {} }), {
    status: 400,
    text: 'no body found\n',
    type: 'text/plain; charset=utf-8',
  });
  t.deepEqual(events, ['received', 'http 400']);
});

for (const type of ['application/json; charset=utf-8', 'application/yaml', 'Application/JSON', '']) {
  test(`Content-Type "${type}" is 415, because it must be exactly application/json`, async (t) => {
    const { port, events } = await serve(t, allow);
    const answer = await post(port, reviewOf(), { headers: type === '' ? {} : { 'Content-Type': type } });
    t.is(answer.status, 415);
    t.is(answer.text, 'invalid Content-Type, want `application/json`\n');
    t.deepEqual(events, ['received', 'http 415']);
  });
}

test('a body that is not a review is rejected by a review, not by an HTTP error', async (t) => {
  const { port, events } = await serve(t, allow);
  const answer = await post(port, '[]');
  t.is(answer.status, 200);
  t.deepEqual(replyOf(answer), {
    uid: '',
    allowed: false,
    status: { message: 'could not decode body: it is not a JSON object' },
  });
  t.deepEqual(events, ['received', 'undecodable']);
});

test('a body beyond the limit is 413, with or without Content-Length', async (t) => {
  const { port, events } = await serve(t, allow, { maxBodyBytes: 1000 });
  t.is((await post(port, 'x'.repeat(1001))).status, 413);
  const chunked = { headers: { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' } };
  const answer = await post(port, 'x'.repeat(1001), chunked);
  t.is(answer.status, 413);
  t.is(answer.text, 'the body is longer than 1000 bytes\n');
  t.deepEqual(events, ['received', 'http 413', 'received', 'http 413']);
});

test('the total of bodies is limited, and a slow body makes room for others', async (t) => {
  const { port, events } = await serve(t, allow, {
    intake: createReviewIntake({ clock: createFakeClock(), maxBodyBytes: 5200 }),
  });
  const slow = [1, 2].map(() => connect(port, '127.0.0.1').on('error', () => undefined));
  t.teardown(() => {
    for (const socket of slow) socket.destroy();
  });
  const answers = slow.map(async (socket) => String(await once(socket, 'data')));
  for (const [index, socket] of slow.entries()) {
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n${'x'.repeat(1900)}`);
    await eventually('it is on its way', () => events.length === index + 1);
  }
  const body = JSON.stringify(reviewOf());
  for (let count = 0; count < 20; count++) t.is((await post(port, body)).status, 200);
  t.regex((await answers[0]) ?? '', /^HTTP\/1.1 503 /);
  slow[1]?.write('x'.repeat(100));
  t.regex((await answers[1]) ?? '', /^HTTP\/1.1 415 /);
});

test('a body counts until its answer is complete', async (t) => {
  const clock = createFakeClock();
  const body = JSON.stringify(reviewOf());
  const { port } = await serve(t, never, {
    clock,
    intake: createReviewIntake({ clock, maxBodyBytes: body.length * 2 }),
  });
  const first = post(port, body);
  await eventually('the handler waits', () => clock.timers === 1);
  t.is((await post(port, body)).status, 503);
  clock.advance(10_000);
  t.is((await first).status, 504);
  const next = post(port, body);
  await eventually('the handler waits again', () => clock.timers === 1);
  clock.advance(10_000);
  t.is((await next).status, 504);
});

test('an exception of the handler ends its request with 500 and is logged', async (t) => {
  let calls = 0;
  const { port, events, logger } = await serve(t, () => {
    calls += 1;
    if (calls === 1) throw new Error('sync');
    if (calls === 2) return Promise.reject(new Error('async'));
    return { allowed: true };
  });
  t.is((await post(port, reviewOf())).status, 500);
  t.is((await post(port, reviewOf())).status, 500);
  t.true(replyOf(await post(port, reviewOf())).allowed);
  t.deepEqual(
    events.filter((event) => event !== 'received'),
    ['http 500', 'http 500'],
  );
  t.deepEqual(
    logger.records.map(({ level, fields }) => [level, (fields['err'] as Error).message]),
    [
      ['error', 'sync'],
      ['error', 'async'],
    ],
  );
});

test('an answer that cannot be encoded is 500', async (t) => {
  const { port, events } = await serve(t, () => ({ allowed: true, patch: [{ op: 'add', path: '/a', value: 1n }] }));
  t.is((await post(port, reviewOf())).status, 500);
  t.deepEqual(events, ['received', 'http 500']);
});

for (const [query, afterMs] of [
  ['', 10_000],
  ['?timeout=30s', 10_000],
  ['?timeout=2s', 2000],
  ['?timeout=never', 10_000],
] as const) {
  test(`an answer that takes longer than ${afterMs} ms with "${query}" is 504`, async (t) => {
    const clock = createFakeClock();
    const aborted: boolean[] = [];
    const { port, events } = await serve(
      t,
      (question, call) => {
        call.signal.addEventListener('abort', () => aborted.push(true));
        return never(question, call);
      },
      { clock },
    );
    const answer = post(port, reviewOf(), { path: `/validate${query}` });
    await eventually('the handler waits', () => clock.timers === 1);
    clock.advance(afterMs - 1);
    t.deepEqual(events, ['received']);
    clock.advance(1);
    t.is((await answer).status, 504);
    t.deepEqual(aborted, [true]);
  });
}

test('an error after the deadline is dropped', async (t) => {
  const clock = createFakeClock();
  let fail: (error: Error) => void = () => undefined;
  const handler = () =>
    new Promise<AdmissionAnswer>((_, reject) => {
      fail = reject;
    });
  const { port } = await serve(t, handler, { clock });
  const answer = post(port, reviewOf());
  await eventually('the handler waits', () => clock.timers === 1);
  clock.advance(10_000);
  t.is((await answer).status, 504);
  fail(new Error('late'));
  t.is((await post(port, '')).status, 400);
});

test('a closed connection aborts the handler', async (t) => {
  const clock = createFakeClock();
  const aborted: boolean[] = [];
  const { port, events, logger } = await serve(
    t,
    (question, call) => {
      call.signal.addEventListener('abort', () => aborted.push(true));
      return never(question, call);
    },
    { clock },
  );
  const caller = connect(port, '127.0.0.1').on('error', () => undefined);
  const body = JSON.stringify(reviewOf());
  caller.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await eventually('the handler waits', () => clock.timers === 1);
  caller.destroy();
  await eventually('the handler is told', () => aborted.length === 1);
  t.is(clock.timers, 0);
  t.deepEqual([events, logger.records], [['received'], []]);
});
