import type { LookupAddress } from 'node:dns';
import type { RequestListener } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { createEgressRules } from '../../../src/net/egress/egress-rules.js';
import { createGuardedFetch, type GuardedFetchOptions } from '../../../src/net/egress/guarded-fetch.js';
import { startDocumentServer } from './document-server.js';

/** The server's own address is allowed; another of this machine is not. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'docs.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'inner.test': ['127.0.0.2'],
  'both.test': ['127.0.0.1', '169.254.169.254'],
  'nowhere.test': [],
};

const resolveName = async (name: string): Promise<readonly LookupAddress[]> =>
  (NAMES[name] ?? []).map((address) => ({ address, family: 4 }));

async function start(
  t: ExecutionContext,
  listener: RequestListener = (_request, response) => response.end('hello'),
  options: Partial<GuardedFetchOptions> = {},
) {
  const server = await startDocumentServer(t, listener);
  const fetchDocument = createGuardedFetch({
    rules: createEgressRules(['127.0.0.1']),
    roots: server.roots,
    resolveName,
    ...options,
  });
  return { server, fetchDocument };
}

test('a document is fetched from an allowed address', async (t) => {
  const { server, fetchDocument } = await start(t);
  t.is(await fetchDocument(server.url('/a')), 'hello');
});

test('a name that resolves to a forbidden address is rejected without a connection', async (t) => {
  const { server, fetchDocument } = await start(t);
  for (const [host, message] of [
    ['inner.test', /inner.test resolves to an address that is not allowed: 127.0.0.2 is an address of this machine$/],
    ['both.test', /both.test resolves to an address that is not allowed: 169.254.169.254 is link-local$/],
    ['nowhere.test', /nowhere.test has no address$/],
  ] as const) {
    await t.throwsAsync(fetchDocument(server.url('/', host)), { name: 'FetchError', message });
  }
  t.deepEqual(server.requests, []);
});

for (const host of [
  '127.0.0.2',
  '[::1]',
  '[::ffff:127.0.0.2]',
  '169.254.169.254',
  '2130706434',
  '0x7f.0.0.2',
  '0177.0.0.2',
]) {
  test(`the address ${host} in a URL is checked too`, async (t) => {
    const { server, fetchDocument } = await start(t);
    await t.throwsAsync(fetchDocument(server.url('/', host)), { name: 'FetchError', message: /is not allowed/ });
    t.deepEqual(server.requests, []);
  });
}

test('redirects to allowed addresses are followed', async (t) => {
  const { server, fetchDocument } = await start(t, ({ url, headers }, response) => {
    if (url === '/b') response.end('there');
    else response.writeHead(302, { location: `https://other.test:${headers.host?.split(':')[1]}/b` }).end();
  });
  t.is(await fetchDocument(server.url('/a')), 'there');
});

for (const [what, location, message] of [
  ['an address that is not allowed', 'https://169.254.169.254/latest', /its address is not allowed/],
  ['a name of such an address', 'https://inner.test/', /inner.test resolves to an address that is not allowed/],
  ['plain HTTP', 'http://docs.test/', /only https is fetched, not http/],
  ['a file', 'file:///etc/passwd', /only https is fetched, not file/],
  ['itself, for ever', '/a', /there are more than 3 redirects/],
] as const) {
  test(`a redirect to ${what} is not followed`, async (t) => {
    const { server, fetchDocument } = await start(t, (_request, response) =>
      response.writeHead(307, { location }).end(),
    );
    await t.throwsAsync(fetchDocument(server.url('/a')), { name: 'FetchError', message });
    t.true(server.requests.length <= 4);
  });
}

for (const [url, message] of [
  ['http://docs.test/', /only https is fetched/],
  ['https://user:password@docs.test/', /must not have credentials/],
  ['docs.test', /it is not a URL/],
] as const) {
  test(`${url} is not fetched`, async (t) => {
    const { fetchDocument } = await start(t);
    await t.throwsAsync(fetchDocument(url), { name: 'FetchError', message });
  });
}

test('a server whose certificate does not verify is rejected', async (t) => {
  const { server, fetchDocument } = await start(t, undefined, { roots: [] });
  await t.throwsAsync(fetchDocument(server.url('/a')), { name: 'FetchError' });
  t.deepEqual(server.requests, []);
});

test('a response with another status than 200 is an error', async (t) => {
  const { server, fetchDocument } = await start(t, (_request, response) => response.writeHead(404).end('no'));
  await t.throwsAsync(fetchDocument(server.url('/a')), { name: 'FetchError', message: /the server answered 404$/ });
});

test('an endless document is read up to the size limit only', async (t) => {
  const { server, fetchDocument } = await start(
    t,
    (_request, response) => {
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(more));
      };
      more();
    },
    { maxBytes: 50_000 },
  );
  await t.throwsAsync(fetchDocument(server.url('/a')), { message: /the document has more than 50000 bytes$/ });
});

for (const [what, listener] of [
  ['does not answer', () => undefined],
  ['stops in the middle', (_request, response) => void response.write('half')],
] as const satisfies readonly (readonly [string, RequestListener])[]) {
  test(`a server that ${what} is abandoned at the timeout`, async (t) => {
    const { server, fetchDocument } = await start(t, listener, { timeoutMs: 300 });
    await t.throwsAsync(fetchDocument(server.url('/a')), { message: /no complete response within 0.3s$/ });
  });
}
