import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import test from 'ava';
import { createHttpSender } from '../../../bench/load/http-sender.js';

test('requests are sent unchanged, one after another on one connection', async (t) => {
  const connections = new Set<unknown>();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    connections.add(request.socket);
    seen.push(`${request.method} ${request.url} ${request.headers.host} ${request.headers['x-api-key']}`);
    response.writeHead(request.url === '/no' ? 429 : 200, { 'Content-Length': 4 }).end('body');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = createHttpSender((server.address() as AddressInfo).port);
  t.teardown(() => {
    sender.close();
    server.close();
  });
  const headers = { host: 'shop.example', 'x-api-key': 'k' };
  t.is(await sender.send({ method: 'GET', path: '/yes?a=b', headers }), 200);
  t.is(await sender.send({ method: 'POST', path: '/no', headers }), 429);
  t.deepEqual(seen, ['GET /yes?a=b shop.example k', 'POST /no shop.example k']);
  t.is(connections.size, 1);
});

test('requests at the same time have a connection each, and an answer that comes in parts is read whole', async (t) => {
  const server = createNetServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 503 Unavailable\r\nConnection: close\r\ncontent-le');
      setImmediate(() => {
        socket.write('ngth: 4\r\n\r\nbo');
        setImmediate(() => socket.write('dy'));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = createHttpSender((server.address() as AddressInfo).port);
  t.teardown(() => {
    sender.close();
    server.close();
  });
  const request = { method: 'GET', path: '/', headers: { host: 'a' } };
  t.deepEqual(await Promise.all([sender.send(request), sender.send(request)]), [503, 503]);
  t.is(await sender.send(request), 503);
});

test('a port without a listener is an error', async (t) => {
  const sender = createHttpSender(1);
  await t.throwsAsync(() => sender.send({ method: 'GET', path: '/', headers: {} }), { code: 'ECONNREFUSED' });
  sender.close();
});

test('requests beyond the connections wait for one, and are refused when the sender closes', async (t) => {
  const connections = new Set<unknown>();
  const server = createServer((request, response) => {
    connections.add(request.socket);
    if (request.url !== '/never') response.writeHead(200, { 'Content-Length': 0 }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = createHttpSender((server.address() as AddressInfo).port, 2);
  t.teardown(() => {
    sender.close();
    server.close();
  });
  const send = (path: string): Promise<number> => sender.send({ method: 'GET', path, headers: { host: 'a' } });
  t.deepEqual(await Promise.all(['/1', '/2', '/3', '/4', '/5'].map(send)), [200, 200, 200, 200, 200]);
  t.is(connections.size, 2);
  const unanswered = ['/never', '/never', '/never'].map((path) => t.throwsAsync(() => send(path)));
  sender.close();
  const errors = await Promise.all(unanswered);
  t.is(errors.at(-1)?.message, 'the sender was closed before the request was sent');
});
