import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createUnprovenConnections } from '../../src/net/unproven-connections.js';
import { createFakeClock } from '../support/fake-clock.js';
import { untilClosed } from '../support/until-closed.js';

/** The server's side of a new connection. */
async function openConnection(t: ExecutionContext): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  t.teardown(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  return socket;
}

test('a connection without an authenticated call is closed after a minute; an authenticated one stays open', async (t) => {
  const clock = createFakeClock();
  const connections = createUnprovenConnections(clock);
  const [unproven, proven] = [await openConnection(t), await openConnection(t)];
  connections.opened(unproven);
  connections.opened(proven);
  clock.advance(59_999);
  connections.proven(`${proven.remoteAddress}:${proven.remotePort}`);
  t.false(unproven.destroyed);
  clock.advance(1);
  t.true(unproven.destroyed);
  clock.advance(3_600_000);
  t.false(proven.destroyed);
});

test('a closed connection leaves no timer and no entry', async (t) => {
  const clock = createFakeClock();
  const connections = createUnprovenConnections(clock);
  const socket = await openConnection(t);
  connections.opened(socket);
  socket.destroy();
  await untilClosed(socket);
  t.is(clock.timers, 0);
});
