import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { JsonList } from '../../src/introspection/json-source.js';
import { json, type Page } from '../../src/introspection/page.js';
import { createPages } from '../../src/introspection/page-table.js';
import { createRenderTurns } from '../../src/introspection/render-turns.js';
import { createSharedBytes } from '../../src/introspection/shared-bytes.js';
import { eventually } from '../support/eventually.js';
import { call } from './fixtures/http-client.js';
import { serve } from './fixtures/serve.js';

function ask(t: ExecutionContext, port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

/** An endless page that counts its rendered pieces. */
function endlessPage() {
  const made = { count: 0 };
  const page: Page = {
    path: '/debug/endless',
    description: '',
    audience: 'operator',
    handle: () =>
      json(
        new JsonList(
          (function* () {
            for (;;) {
              made.count++;
              yield 'x'.repeat(1024);
            }
          })(),
        ),
      ),
  };
  return { page, made };
}

test('thirty-two pages are rendered at a time, one more is 503, and /ready is answered meanwhile', async (t) => {
  const { page } = endlessPage();
  const { port } = await serve(t, { pages: [page, ...createPages()] });
  const readers = Array.from({ length: 32 }, () => ask(t, port, '/debug/endless'));
  // None of the clients reads further, so all responses stay open.
  await Promise.all(readers.map((socket) => once(socket, 'readable')));
  const refused = await call(port, '/debug/syncz');
  t.is(refused.status, 503);
  t.regex(refused.body, /at most 32 pages at the same time\. Try again/);
  t.is((await call(port, '/ready')).status, 200);
  readers[0]?.destroy();
  await eventually('there is room again', async () => (await call(port, '/debug/syncz')).status === 200);
});

test('rendering of a page ends when its reader disconnects', async (t) => {
  const { page, made } = endlessPage();
  const { port } = await serve(t, { pages: [page, ...createPages()] });
  const reader = ask(t, port, '/debug/endless').resume();
  await eventually('the page is being made', () => made.count > 1000);
  reader.destroy();
  let before = -1;
  await eventually('nothing is made any more', async () => {
    const stands = made.count === before;
    before = made.count;
    await call(port, '/ready');
    return stands;
  });
  t.pass();
});

test('each turn of the event loop gets one slice, for any number of waiting pages', async (t) => {
  const turns = createRenderTurns();
  const order: string[] = [];
  const slices = ['a', 'b', 'c'].map(async (name) => {
    await turns.next();
    order.push(name);
  });
  const other = (async () => {
    for (let turn = 0; turn < 4; turn++) {
      await new Promise(setImmediate);
      order.push('other');
    }
  })();
  await Promise.all([...slices, other]);
  t.deepEqual(order, ['a', 'other', 'b', 'other', 'c', 'other', 'other']);
});

test('with more than eight bodies in transfer, the connections of the oldest are closed', async (t) => {
  const cutOff: ServerResponse[] = [];
  const shared = createSharedBytes((response) => cutOff.push(response));
  const server = createServer((_request, response) => shared.send(response, Buffer.alloc(32 << 20)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const readers: Socket[] = [];
  for (let count = 0; count < 8; count++) {
    const reader = ask(t, port, '/');
    await once(reader, 'readable');
    readers.push(reader);
  }
  t.is(cutOff.length, 0);
  const ninth = ask(t, port, '/');
  await once(ninth, 'readable');
  t.is(cutOff.length, 1);
  const first = readers[0];
  first?.resume();
  await eventually('the first reader is cut off', () => first?.closed === true);
  t.false(readers.slice(1).some((reader) => reader.closed));
});
