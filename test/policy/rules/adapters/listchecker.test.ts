import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { eventually } from '../../../support/eventually.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { FAIL_CLOSE } from '../rule-rig.js';
import { createAdapterRig } from './adapter-rig.js';

/** An HTTP server of a tenant, whose answers the test sets. */
async function startListServer(t: ExecutionContext) {
  let answer: RequestListener = (_request, response) => response.end('');
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list?token=s3cret`,
    requests,
    answers: (listener: RequestListener) => {
      answer = listener;
    },
    has: (...entries: readonly string[]) => {
      answer = (_request, response) => response.end(entries.join('\n'));
    },
  };
}

/** More than the longest time between two fetches. */
const REFRESHED_MS = 66_001;

/** A rule with the list of a URL, closed when the test ends. */
function openList(t: ExecutionContext, url: string, more = '', allowed?: readonly string[]) {
  const clock = createFakeClock();
  const rig = createAdapterRig(clock, allowed);
  t.teardown(() => rig.handler.close());
  rig.apply(`rule shop/r {actions: [{handler: list, instances: [path]}]}
    handler shop/list {compiledAdapter: listchecker, params: {providerUrl: '${url}', refreshInterval: 60s, ttl: 300s${more}}}
    instance shop/path {compiledTemplate: listentry, params: {value: request.path}}`);
  const code = async (path: string): Promise<string> =>
    (await rig.check({ 'request.path': path }, undefined, FAIL_CLOSE)).status.code;
  const becomes = (path: string, wanted: string) =>
    eventually(`${path} is ${wanted}`, async () => {
      // The lane of computations waits on this clock.
      clock.advance(1);
      return (await code(path)) === wanted;
    });
  return { ...rig, clock, code, becomes };
}

test('a list by URL decides once it has come; before it, the fail policy does', async (t) => {
  const server = await startListServer(t);
  let release = (): void => undefined;
  server.answers((_request, response) => {
    release = () => response.end('# allowed\n/a\n');
  });
  const { code, becomes, log, logger } = openList(t, server.url, ', overrides: [/always]');
  await eventually('the list is asked for', () => server.requests.length === 1);
  t.deepEqual([await code('/a'), await code('/always')], ['UNAVAILABLE', 'OK']);
  release();
  await becomes('/a', 'OK');
  t.deepEqual([await code('/b'), await code('/always')], ['NOT_FOUND', 'OK']);
  const lines = JSON.stringify([...log, ...logger.records]);
  t.true(lines.includes('list of a handler fetched'));
  t.false(lines.includes('s3cret'));
});

test('a changed list is in force after the next fetch', async (t) => {
  const server = await startListServer(t);
  server.has('/a');
  const { clock, code, becomes } = openList(t, server.url);
  await becomes('/a', 'OK');
  server.has('/b');
  clock.advance(REFRESHED_MS);
  await becomes('/b', 'OK');
  t.is(await code('/a'), 'NOT_FOUND');
});

test('while a list cannot be fetched or read, the last one counts until ttl', async (t) => {
  const server = await startListServer(t);
  server.has('/a');
  const { clock, code, becomes, logger } = openList(t, server.url);
  await becomes('/a', 'OK');
  const failures: readonly RequestListener[] = [
    (_request, response) => response.writeHead(500).end('/b'),
    (request) => request.destroy(),
    (_request, response) => response.end('- {a: b}'),
    (_request, response) => response.end(`/b\n${'/c\n'.repeat(400_000)}`),
  ];
  for (const [index, fails] of failures.entries()) {
    server.answers(fails);
    clock.advance(REFRESHED_MS);
    await eventually('the failure is told', () => {
      clock.advance(1);
      return logger.records.filter(({ message }) => message === 'list of a handler cannot be fetched').length > index;
    });
    t.deepEqual([await code('/a'), await code('/b')], ['OK', 'NOT_FOUND']);
  }
  clock.advance(300_000);
  t.is(await code('/a'), 'UNAVAILABLE');
  server.has('/b');
  clock.advance(REFRESHED_MS);
  await becomes('/b', 'OK');
});

test('a list at an address that egress rules refuse is not fetched, also after a redirect', async (t) => {
  const server = await startListServer(t);
  server.has('/a');
  const refused = openList(t, server.url, '', []);
  const reasonOf = ({ logger }: typeof refused) =>
    eventually('the refusal is told', () => {
      const [record] = logger.records;
      return record?.fields['err'] instanceof Error ? record.fields['err'].message : undefined;
    });
  t.regex(await reasonOf(refused), /its address is not allowed: 127\.0\.0\.1 is an address of this machine/);
  server.answers((_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
  t.regex(await reasonOf(openList(t, server.url)), /its address is not allowed: 169\.254\.169\.254 is link-local/);
});

test('a handler that is closed fetches no more, and a fetch under way changes nothing', async (t) => {
  const server = await startListServer(t);
  server.has('/a');
  const { clock, apply, becomes, series } = openList(t, server.url);
  await becomes('/a', 'OK');
  t.is((await series('policy_handler_daemons_total{')).length, 1);
  apply('');
  await eventually('it is closed', async () => (await series('policy_handler_daemons_total{')).length === 0);
  t.is(clock.timers, 0);
});
