import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createEgressRules } from '../../../src/net/egress/egress-rules.js';
import { createGuardedFetch } from '../../../src/net/egress/guarded-fetch.js';
import { startDocumentServer } from './document-server.js';

async function startPlain(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://docs.test:${(server.address() as AddressInfo).port}/`;
}

const fetchWith = (allowsHttp: boolean, roots: readonly string[] = []) =>
  createGuardedFetch({
    rules: createEgressRules(['127.0.0.1']),
    allowsHttp,
    roots,
    resolveName: async (name) => [{ address: name === 'docs.test' ? '127.0.0.1' : '127.0.0.2', family: 4 }],
  });

test('http is fetched where it is allowed, under the same address rules', async (t) => {
  const url = await startPlain(t, (_request, response) => response.end('hello'));
  t.is(await fetchWith(true)(url), 'hello');
  await t.throwsAsync(fetchWith(false)(url), { message: /only https is fetched, not http/ });
  await t.throwsAsync(fetchWith(true)(url.replace('docs.', 'inner.')), { message: /address that is not allowed/ });
});

test('a redirect from https to http is not followed, even where http is allowed', async (t) => {
  const plain = await startPlain(t, (_request, response) => response.end('hello'));
  const secured = await startDocumentServer(t, (_request, response) => {
    response.writeHead(302, { location: plain }).end();
  });
  const fetched = fetchWith(true, secured.roots)(secured.url('/a'));
  await t.throwsAsync(fetched, { message: /only https is fetched, not http/ });
});
