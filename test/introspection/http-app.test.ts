import test from 'ava';
import { JsonList } from '../../src/introspection/json-source.js';
import { json, type Page } from '../../src/introspection/page.js';
import { createPages } from '../../src/introspection/page-table.js';
import { call } from './fixtures/http-client.js';
import { connection } from './fixtures/mesh.js';
import { serve } from './fixtures/serve.js';

test('an unknown path answers 404 in plain text with the nearest known path', async (t) => {
  const { port } = await serve(t);
  for (const [path, nearest] of [
    ['/debug/syncs', '/debug/syncz'],
    ['/debug/endpointshards', '/debug/endpointShardz'],
    ['/debug/configdump?proxyID=x', '/debug/config_dump'],
    ['/readyz', '/ready'],
    ['/metric', '/metrics'],
  ] as const) {
    const { status, headers, body } = await call(port, path);
    t.is(status, 404, path);
    t.is(headers['content-type'], 'text/plain; charset=utf-8');
    t.true(body.includes(`Did you mean ${nearest}?`), body);
  }
});

test('a path that resembles no page answers 404 without a suggestion', async (t) => {
  const { port } = await serve(t);
  const { status, body } = await call(port, '/a/very/different/thing');
  t.is(status, 404);
  t.is(body, 'There is no page /a/very/different/thing. /debug lists all pages.\n');
});

test('a browser gets the error of a page for people on a page with the navigation, and scripts get its text', async (t) => {
  const { port } = await serve(t);
  const path = '/debug/object?key=%3Cscript%3E';
  const text = 'There is no object &lt;script&gt;. /debug/objects lists all objects.';
  const shown = await call(port, path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  t.is(shown.status, 404);
  t.is(shown.headers['content-type'], 'text/html; charset=utf-8');
  t.true(shown.body.includes(`<p class="empty">${text}</p>`), shown.body);
  t.true(shown.body.includes('<nav aria-label="Pages">'));
  for (const accept of ['*/*', 'application/json, text/plain']) {
    const { status, headers, body } = await call(port, path, { headers: { accept } });
    t.is(status, 404);
    t.is(headers['content-type'], 'text/plain; charset=utf-8');
    t.is(body, 'There is no object <script>. /debug/objects lists all objects.\n');
  }
});

test('a malformed path answers 404 too', async (t) => {
  const { port, log } = await serve(t);
  for (const path of ['/%ff%zz', '//[', '/debug/%', `/${'x'.repeat(5000)}`, '/debug/..%2f', '/__proto__']) {
    t.is((await call(port, path)).status, 404, path.slice(0, 20));
  }
  t.deepEqual(log, []);
});

test('a malformed query does not fail the page', async (t) => {
  const { port } = await serve(t);
  t.is((await call(port, '/debug/edsz?%zz=%&proxyID=none&&&=')).status, 404);
  t.is((await call(port, '/debug/endpointz?brief[a][b]=1')).status, 200);
});

for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
  test(`${method} answers 405 and names the allowed methods`, async (t) => {
    const { port } = await serve(t);
    for (const path of ['/ready', '/metrics', '/debug', '/debug/adsz?push=true']) {
      const { status, headers, body } = await call(port, path, { method });
      t.is(status, 405, path);
      t.is(headers.allow, 'GET, HEAD');
      t.true(body.includes(`not ${method}`));
    }
  });
}

test('HEAD answers every page with the status and type of GET and no body', async (t) => {
  const { port } = await serve(t);
  for (const { path } of createPages()) {
    const [get, head] = [await call(port, path), await call(port, path, { method: 'HEAD' })];
    t.is(head.status, get.status, path);
    t.is(head.headers['content-type'], get.headers['content-type'], path);
    t.is(head.body, '');
  }
});

test('a small body is ignored, and a large body is refused', async (t) => {
  const { port } = await serve(t);
  t.is((await call(port, '/version', { headers: { 'content-length': 1000 }, body: 'x'.repeat(1000) })).status, 200);
  const { status, headers } = await call(port, '/version', { headers: { 'content-length': 65_537 }, body: 'x' });
  t.is(status, 413);
  t.is(headers.connection, 'close');
});

test('the connection of a body without a declared length is closed at the limit', async (t) => {
  t.timeout(10_000, 'only the limit ends this request');
  const page = waitingPage();
  const { port } = await serve(t, { pages: [page], timeouts: { idleMs: 0 } });
  const headers = { 'transfer-encoding': 'chunked' };
  await t.throwsAsync(call(port, page.path, { method: 'GET', headers, body: 'x'.repeat(100_000) }));
});

function waitingPage(): Page {
  return { path: '/wait', description: '', audience: 'anyone', handle: () => new Promise(() => {}) };
}

const FAILING: Readonly<Record<string, Page['handle']>> = {
  throws: () => {
    throw new Error('secret detail');
  },
  rejects: async () => {
    throw new Error('secret detail');
  },
  'throws what is no error': () => {
    throw undefined;
  },
  'fails while its first item is made': () => json(new JsonList(brokenAfter(0))),
  'answers what cannot be written': () => json({ size: 1n }),
};

function* brokenAfter(count: number): Generator<string> {
  for (let index = 0; index < count; index++) yield 'x'.repeat(1000);
  throw new Error('secret detail');
}

for (const [what, handle] of Object.entries(FAILING)) {
  test(`a page that ${what} answers 500, is logged, and the next request is served`, async (t) => {
    const page: Page = { path: '/broken', description: '', audience: 'anyone', handle };
    const { port, log } = await serve(t, { pages: [page, ...createPages()] });
    const { status, headers, body } = await call(port, '/broken');
    t.is(status, 500);
    t.is(headers['content-type'], 'text/plain; charset=utf-8');
    t.is(body, 'The server failed to render this page. Its log has the error.\n');
    t.like(log[0], { level: 'error', message: 'http handler failed', fields: { method: 'GET', path: '/broken' } });
    t.true(log[0] !== undefined && 'err' in log[0].fields);
    t.is((await call(port, '/ready')).status, 200);
  });
}

test('a response that fails after its start is logged, and its reader gets an incomplete response', async (t) => {
  const handle: Page['handle'] = () => json(new JsonList(brokenAfter(500)));
  const page: Page = { path: '/broken', description: '', audience: 'anyone', handle };
  const { port, log } = await serve(t, { pages: [page, ...createPages()] });
  await t.throwsAsync(call(port, '/broken'));
  t.like(log[0], { level: 'error', message: 'http handler failed' });
  t.is((await call(port, '/ready')).status, 200);
});

test('a view that throws ends the request with 500, not the process', async (t) => {
  const { port } = await serve(t, {
    views: {
      connections: () => [connection()],
      context: () => {
        throw new Error('no');
      },
      metrics: async () => {
        throw new Error('no');
      },
    },
  });
  for (const path of ['/debug', '/debug/registryz', '/metrics']) t.is((await call(port, path)).status, 500, path);
});
