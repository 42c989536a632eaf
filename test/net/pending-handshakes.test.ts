import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createPendingHandshakes } from '../../src/net/pending-handshakes.js';
import { createFakeClock } from '../support/fake-clock.js';

/** Accepts connections from loopback addresses of the test's choice. */
async function openPeers(t: ExecutionContext): Promise<(address: string) => Promise<Socket>> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.teardown(() => server.close());
  return async (localAddress) => {
    const accepted = once(server, 'connection');
    const client = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    const [socket] = (await accepted) as [Socket];
    t.teardown(() => {
      client.destroy();
      socket.destroy();
    });
    return socket;
  };
}

const LIMITS = { timeoutMs: 10_000, maxPending: 3 };

test('when all places are taken, the oldest connection of the address with the most makes room for another address', async (t) => {
  const accept = await openPeers(t);
  const cut: Socket[] = [];
  const handshakes = createPendingHandshakes(LIMITS, createFakeClock(), (socket) => cut.push(socket));
  const greedy = [await accept('127.0.0.2'), await accept('127.0.0.2'), await accept('127.0.0.2')];
  for (const socket of greedy) t.true(handshakes.admit(socket));
  t.true(handshakes.admit(await accept('127.0.0.3')));
  t.deepEqual(cut, greedy.slice(0, 1));
  t.false(handshakes.done(greedy[0] as Socket), 'it is not awaited any longer');
  t.true(handshakes.done(greedy[1] as Socket));
});

test('the address with the most connections gets a place only if another one is stale', async (t) => {
  const accept = await openPeers(t);
  const clock = createFakeClock();
  const cut: Socket[] = [];
  const handshakes = createPendingHandshakes(LIMITS, clock, (socket) => cut.push(socket));
  const first = await accept('127.0.0.3');
  for (const socket of [first, await accept('127.0.0.2'), await accept('127.0.0.2')]) handshakes.admit(socket);
  t.false(handshakes.admit(await accept('127.0.0.2')));
  clock.advance(1000);
  t.true(handshakes.admit(await accept('127.0.0.2')));
  t.deepEqual(cut, [first]);
});
