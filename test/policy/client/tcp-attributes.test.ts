import test from 'ava';
import { type AttributeLayer, bagOf } from '../../../src/policy/client/attribute-bag.js';
import { int64Attribute } from '../../../src/policy/client/attribute-value.js';
import { deriveTcpAttributes, deriveTcpReportAttributes } from '../../../src/policy/client/tcp-attributes.js';

const EMPTY = bagOf(new Map());

function plain(layer: AttributeLayer): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...layer].map(([name, { type, value }]) => [name, [type, value]]));
}

test('a TCP connection brings all its check attributes in their types', (t) => {
  const layer = deriveTcpAttributes({
    id: 'a1b2-7',
    sourceIp: new Uint8Array([10, 0, 0, 1]),
    timeNs: 5n,
    connection: {
      originIp: new Uint8Array([10, 0, 0, 9]),
      isMtls: true,
      requestedServerName: 'db.example',
      sourcePrincipal: 'spiffe://cluster.local/ns/shop/sa/web',
      destinationPrincipal: 'spiffe://cluster.local/ns/db/sa/pg',
    },
  });
  t.deepEqual(plain(layer), {
    'source.ip': ['bytes', new Uint8Array([10, 0, 0, 1])],
    'origin.ip': ['bytes', new Uint8Array([10, 0, 0, 9])],
    'source.principal': ['string', 'cluster.local/ns/shop/sa/web'],
    'source.user': ['string', 'cluster.local/ns/shop/sa/web'],
    'source.namespace': ['string', 'shop'],
    'destination.principal': ['string', 'cluster.local/ns/db/sa/pg'],
    'connection.mtls': ['bool', true],
    'connection.requested_server_name': ['string', 'db.example'],
    'connection.id': ['string', 'a1b2-7'],
    'context.time': ['timestamp', 5n],
    'context.protocol': ['string', 'tcp'],
  });
});

test('TCP reports have the bytes since the previous report and in total, and the duration only at the end', (t) => {
  const open = { event: { type: 'open' }, total: { received: 10n, sent: 0n } } as const;
  const middle = { event: { type: 'continue' }, total: { received: 30n, sent: 5n }, lastReported: open.total } as const;
  const close = {
    event: { type: 'close', durationNs: 8n },
    total: { received: 30n, sent: 6n },
    lastReported: middle.total,
  } as const;
  const reports = [open, middle, close].map((facts) => deriveTcpReportAttributes(facts, EMPTY));
  const values = (name: string) => reports.map((report) => report.get(name)?.value);
  t.deepEqual(values('connection.event'), ['open', 'continue', 'close']);
  t.deepEqual(values('connection.received.bytes'), [10n, 20n, 0n]);
  t.deepEqual(values('connection.received.bytes_total'), [10n, 30n, 30n]);
  t.deepEqual(values('connection.sent.bytes'), [0n, 5n, 1n]);
  t.deepEqual(values('connection.sent.bytes_total'), [0n, 5n, 6n]);
  t.deepEqual(values('connection.duration'), [undefined, undefined, 8n]);
});

test('a TCP report adds the destination when it is not known, and how the Check ended', (t) => {
  const facts = {
    event: { type: 'open' },
    total: { received: 0n, sent: 0n },
    destinationIp: new Uint8Array([1, 2, 3, 4]),
    destinationPort: 5432,
    destinationUid: 'pod-1',
    proxyErrorCode: 'UF',
    checkErrorCode: 7,
    checkErrorMessage: 'no',
  } as const;
  const layer = deriveTcpReportAttributes(facts, bagOf(new Map([['destination.port', int64Attribute(1)]])));
  t.is(layer.get('destination.port'), undefined);
  t.deepEqual(layer.get('destination.ip')?.value, facts.destinationIp);
  t.is(layer.get('destination.uid')?.value, 'pod-1');
  t.is(layer.get('context.proxy_error_code')?.value, 'UF');
  t.is(layer.get('check.error_code')?.value, 7n);
  t.is(layer.get('check.error_message')?.value, 'no');
});
