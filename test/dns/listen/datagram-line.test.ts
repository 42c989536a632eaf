import test from 'ava';
import { createDatagramLine, type Datagram } from '../../../src/dns/listen/datagram-line.js';

function datagram(client: string, port: number): Datagram {
  return {
    bytes: Buffer.alloc(12),
    from: { address: client, client },
    remote: { address: client, port, family: 'IPv4', size: 12 },
  };
}

test('clients take turns, and a flood of one delays only its own queries', (t) => {
  const line = createDatagramLine();
  for (let port = 1; port <= 100; port++) line.enter(datagram('10.0.0.1', port));
  line.enter(datagram('10.0.0.2', 7));
  line.enter(datagram('10.0.0.2', 8));
  t.is(line.clients, 2);
  const order = Array.from({ length: 5 }, () => line.next()).map((next) => [next?.from.client, next?.remote.port]);
  t.deepEqual(order, [
    ['10.0.0.1', 1],
    ['10.0.0.2', 7],
    ['10.0.0.1', 2],
    ['10.0.0.2', 8],
    ['10.0.0.1', 3],
  ]);
  t.is(line.size, 97);
});

test('a client has a limited number of places, and half of all places are for the first queries of each', (t) => {
  const line = createDatagramLine(20, 8);
  const limits = (client: string, count: number) =>
    Array.from({ length: count }, (_, port) => line.enter(datagram(client, port))).map((limit) => limit ?? 'waits');
  t.deepEqual(limits('10.0.0.1', 9), [...Array(8).fill('waits'), 'client-waiting']);
  t.deepEqual(limits('10.0.0.2', 5), [...Array(4).fill('waits'), 'waiting']);
  t.deepEqual(limits('10.0.0.3', 4), Array(4).fill('waits'));
  t.deepEqual(limits('10.0.0.4', 4), Array(4).fill('waits'));
  t.deepEqual(limits('10.0.0.5', 1), ['waiting']);
  for (let count = 0; count < 20; count++) t.truthy(line.next());
  t.is(line.next(), undefined);
  t.is(line.size, 0);
});
