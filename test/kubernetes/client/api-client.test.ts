import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { type ApiClient, createApiClient } from '../../../src/kubernetes/client/api-client.js';
import { ApiError } from '../../../src/kubernetes/client/api-error.js';
import type { ClusterAccess } from '../../../src/kubernetes/client/cluster-access.js';
import { IdleError } from '../../../src/kubernetes/client/http-exchange.js';

/** A client of a server that answers as it is told; the URL has a path, as behind a gateway. */
async function createClient(
  t: ExecutionContext,
  listener: RequestListener,
  requestOptions: ClusterAccess['requestOptions'] = async () => ({ headers: { authorization: 'Bearer x' } }),
): Promise<ApiClient> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clusters/one`;
  return createApiClient({ server: url, requestOptions, close: () => undefined }, 'navigator/test');
}

const limits = () => ({ signal: new AbortController().signal, idleMs: 5_000 });

test('a request has a user agent, keeps the path of the server, and reads JSON and warnings', async (t) => {
  const client = await createClient(t, (incoming, answer) => {
    const { authorization, accept, 'user-agent': userAgent } = incoming.headers;
    answer.setHeader('warning', ['299 - "v1 Endpoints is \\"old\\""', '299 - "second"']);
    answer.end(JSON.stringify({ url: incoming.url, authorization, accept, userAgent }));
  });
  const { body, warnings } = await client.getJson(
    '/api/v1/pods',
    { limit: 5, continue: undefined, a: 'b c' },
    limits(),
  );
  t.deepEqual(body, {
    url: '/clusters/one/api/v1/pods?limit=5&a=b+c',
    authorization: 'Bearer x',
    accept: 'application/json',
    userAgent: 'navigator/test',
  });
  t.deepEqual(warnings, ['v1 Endpoints is "old"', 'second']);
});

test('a refusal is an API error with the text of its Status, or with its status alone', async (t) => {
  const client = await createClient(t, (incoming, answer) => {
    answer.statusCode = incoming.url?.includes('pods') === true ? 403 : 502;
    answer.end(answer.statusCode === 403 ? '{"message":"pods is forbidden","reason":"Forbidden"}' : '<html>');
  });
  const refused = await t.throwsAsync(client.getJson('/pods', {}, limits()), { instanceOf: ApiError });
  t.like(refused, { status: 403, reason: 'Forbidden', message: 'pods is forbidden' });
  const broken = await t.throwsAsync(client.open('/nodes', {}, limits()), { instanceOf: ApiError });
  t.like(broken, { status: 502, message: 'the API server answered 502' });
});

test('an interrupted answer fails with the time without a byte', async (t) => {
  const client = await createClient(t, (_, answer) => {
    answer.write('{"items":[');
  });
  const error = await t.throwsAsync(client.getJson('/pods', {}, { ...limits(), idleMs: 100 }), {
    instanceOf: IdleError,
  });
  t.is(error?.message, 'the API server sent nothing for 100 ms');
});

test('an abort ends a request at once, also one that waits for credentials', async (t) => {
  const asking = await createClient(
    t,
    (_, answer) => answer.end(),
    () => new Promise(() => undefined),
  );
  const waiting = await createClient(t, () => undefined);
  for (const client of [asking, waiting]) {
    const controller = new AbortController();
    const request = client.getJson('/pods', {}, { signal: controller.signal, idleMs: 60_000 });
    controller.abort();
    const error = await t.throwsAsync(request, { any: true });
    t.is((error as Error).name, 'AbortError');
  }
});

test('an answer that is no JSON is told of without a piece of it, which may be of a secret', async (t) => {
  const client = await createClient(t, (_incoming, answer) => answer.end('{"data":c2VjcmV0}'));
  const error = await t.throwsAsync(client.getJson('/secrets', {}, limits()), {
    message: 'the API server answered with what is no JSON',
  });
  t.false(inspect(error).includes('c2Vjcm'));
});
