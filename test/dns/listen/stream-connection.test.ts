import { createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { encode } from 'dns-packet';
import { systemClock } from '../../../src/base/clock.js';
import { createConnectionTurns } from '../../../src/dns/listen/connection-turns.js';
import { type ConnectionBytes, serveConnection } from '../../../src/dns/listen/stream-connection.js';
import type { DnsResolver } from '../../../src/dns/resolver.js';
import { SharedBudget } from '../../../src/net/guard/shared-budget.js';
import { eventually } from '../../support/eventually.js';
import { createGate, framed, openStream, question } from '../dns-rig.js';

/** A listener whose connections belong to clients in turn, `client-0` and `client-1`. */
async function listen(t: ExecutionContext, answer: DnsResolver['answer'], budgetBytes = 1 << 20) {
  const budget = new SharedBudget<ConnectionBytes>({ max: budgetBytes, maxPerGroup: budgetBytes }, ({ socket }) => {
    socket.destroy();
  });
  const turns = createConnectionTurns(systemClock);
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const from = { address: '10.0.0.1', client: `client-${sockets.push(socket) % 2}` };
    const resolver = { answer };
    serveConnection(socket, { resolver, transport: 'tcp', from, idleMs: 60_000, budget, turns, clock: systemClock });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, sockets, budget };
}

const ANSWER = encode({ type: 'response', id: 1, questions: [{ type: 'A', name: 'a.example.org' }] });

test('beyond the bytes of all connections, the oldest one with a half-sent query is closed', async (t) => {
  const { port, sockets, budget } = await listen(t, () => ANSWER, 5_000);
  const half = Buffer.concat([Buffer.from([0x0f, 0xff]), Buffer.alloc(3_000)]);
  const first = openStream(t, port);
  first.socket.write(half);
  await eventually('its bytes count', () => budget.amount > 3_000);
  const second = openStream(t, port);
  second.socket.write(half);
  await eventually('the first connection is closed', () => first.socket.destroyed);
  t.is(sockets[1]?.destroyed, false);
  second.socket.destroy();
  await eventually('nothing counts any more', () => budget.amount === 0);
});

test('a client that does not read gets no further answers, and another client is answered', async (t) => {
  const huge = Buffer.alloc(60_000, ANSWER);
  let answers = 0;
  const { port } = await listen(t, ({ from }) => {
    if (from.client === 'client-0') return ANSWER;
    answers++;
    return huge;
  });
  const other = openStream(t, port);
  await eventually('the first connection belongs to client-1', () => !other.socket.connecting);
  other.socket.pause();
  other.socket.write(
    Buffer.concat(Array.from({ length: 2_000 }, (_, id) => framed(question('a.example.org', 'A', { id })))),
  );
  let before = -1;
  await eventually('the client that does not read gets no further answers', async () => {
    const isSteady = before > 0 && answers === before;
    before = answers;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return isSteady;
  });
  t.true(answers < 2_000);
  const stream = openStream(t, port);
  stream.send(question('a.example.org'));
  await eventually('the other client is answered', () => stream.answers.length === 1);
});

test('answers that arrive together are made one after the other, while the client reads them', async (t) => {
  const { released, release } = createGate();
  let made = 0;
  const { port } = await listen(t, () =>
    released.then(() => () => {
      made++;
      return ANSWER;
    }),
  );
  const stream = openStream(t, port);
  for (let id = 0; id < 10; id++) stream.send(question('a.example.org', 'A', { id }));
  release();
  await eventually('all are answered', () => stream.answers.length === 10);
  t.is(made, 10);
});
