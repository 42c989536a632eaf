import test from 'ava';
import { createTcpConnections, type TcpLogEvent } from '../../../src/policy/server/tcp-connections.js';

const event = (fields: Partial<TcpLogEvent>): TcpLogEvent => ({
  id: 'c1',
  moment: 'periodic',
  total: { received: 0n, sent: 0n },
  durationNs: 0n,
  check: 'unknown',
  isOlderThanLog: false,
  ...fields,
});

const total = (received: bigint, sent: bigint) => ({ received, sent });

/** `<event> +<received>/<sent> since the report before`. */
function told(entry: TcpLogEvent, connections = createTcpConnections()): readonly string[] {
  return connections.take(entry).map(({ event: { type }, total: all, lastReported }) => {
    return `${type} +${all.received - lastReported.received}/${all.sent - lastReported.sent} of ${all.received}/${all.sent}`;
  });
}

test('a connection is reported as opened once it is allowed, then with its new bytes, then as closed', (t) => {
  const connections = createTcpConnections();
  t.deepEqual(told(event({ moment: 'connected' }), connections), []);
  t.deepEqual(told(event({ check: 'allowed', total: total(5n, 3n) }), connections), [
    'open +0/0 of 0/0',
    'continue +5/3 of 5/3',
  ]);
  t.deepEqual(told(event({ check: 'allowed', total: total(9n, 3n) }), connections), ['continue +4/0 of 9/3']);
  t.deepEqual(told(event({ moment: 'end', check: 'allowed', total: total(10n, 8n) }), connections), [
    'close +1/5 of 10/8',
  ]);
  t.is(connections.size, 0);
});

test('a connection that was allowed when it came to its workload is reported as opened there', (t) => {
  t.deepEqual(told(event({ moment: 'connected', check: 'allowed' })), ['open +0/0 of 0/0']);
});

test('a short connection is opened and closed with its only entry', (t) => {
  t.deepEqual(told(event({ moment: 'end', total: total(5n, 5n) })), ['open +0/0 of 0/0', 'close +5/5 of 5/5']);
});

test('a connection that was denied is not reported at all', (t) => {
  const connections = createTcpConnections();
  t.deepEqual(told(event({ moment: 'connected' }), connections), []);
  t.deepEqual(told(event({ moment: 'end', check: 'refused', total: total(5n, 0n) }), connections), []);
  t.is(connections.size, 0);
});

test('a connection without data is not reported, because it may still be denied', (t) => {
  const connections = createTcpConnections();
  told(event({ moment: 'connected' }), connections);
  t.deepEqual(told(event({}), connections), []);
  t.deepEqual(told(event({ total: total(1n, 0n) }), connections), ['open +0/0 of 0/0', 'continue +1/0 of 1/0']);
});

test('a connection on which the workload spoke first and that was denied then is closed, for it was opened', (t) => {
  const connections = createTcpConnections();
  t.deepEqual(told(event({ total: total(0n, 9n) }), connections), ['open +0/0 of 0/0', 'continue +0/9 of 0/9']);
  t.deepEqual(told(event({ moment: 'end', check: 'refused', total: total(4n, 9n) }), connections), [
    'close +4/0 of 4/9',
  ]);
});

test('only new bytes of a connection that another server reported are counted', (t) => {
  const connections = createTcpConnections();
  const older = { isOlderThanLog: true, check: 'allowed' as const };
  t.deepEqual(told(event({ ...older, total: total(100n, 100n) }), connections), ['continue +0/0 of 100/100']);
  t.deepEqual(told(event({ ...older, moment: 'end', total: total(103n, 101n) }), connections), [
    'close +3/1 of 103/101',
  ]);
});

test('the number of remembered connections is bounded, and the most recent ones stay', (t) => {
  const connections = createTcpConnections(2);
  for (const id of ['c1', 'c2', 'c1', 'c3']) told(event({ id, total: total(5n, 5n) }), connections);
  t.is(connections.size, 2);
  t.deepEqual(told(event({ id: 'c1', total: total(6n, 5n) }), connections), ['continue +1/0 of 6/5']);
});

test('a million connections that are never closed take bounded memory', (t) => {
  const connections = createTcpConnections(1000);
  for (let index = 0; index < 1_000_000; index++) connections.take(event({ id: `c${index}`, moment: 'connected' }));
  t.is(connections.size, 1000);
});
