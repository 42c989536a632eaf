import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createRig, type RigContent } from '../session-rig.js';
import {
  connectSession,
  type DeltaClient,
  NODE,
  openGrpc,
  openSessions,
  push,
  TYPES,
  type Wire,
} from './delta-client.js';
import type { DeltaResponse } from './delta-messages.js';

type Rule = (t: ExecutionContext, wire: Wire, client: DeltaClient) => Promise<void>;

/** Two route tables and their virtual hosts. */
const TABLES: Pick<RigContent, 'routes' | 'hosts'> = {
  routes: { '80': '1', '90': '1' },
  hosts: { '80': { x: '1', y: '1' }, '90': { z: '1' } },
};

const versionsOf = ({ resources }: DeltaResponse): Record<string, string> =>
  Object.fromEntries(resources.map(({ name, version }) => [name, version]));

/** The rules of delta xDS that a server keeps towards its clients, by number and title. */
const RULES: readonly (readonly [string, Rule])[] = [
  [
    'D1: a first request without names asks for all clusters',
    async (t, wire, client) => {
      client.send('cds');
      t.deepEqual(await client.told('cds'), { has: ['a=1', 'b=1'], lacks: [] });
      push(wire, { clusters: { a: '1', b: '1', c: '1' } });
      t.deepEqual(await client.told('cds'), { has: ['c=1'], lacks: [] });
    },
  ],
  [
    'D2: `*` asks for all clusters, and a name beside it stays when `*` is dropped',
    async (t, wire, client) => {
      client.send('cds', { subscribe: ['*', 'a'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1', 'b=1'], lacks: [] });
      client.send('cds', { unsubscribe: ['*'] });
      await client.nothing(t);
      push(wire, { clusters: { a: '1', b: '2' } });
      await client.nothing(t);
      push(wire, { clusters: { a: '2', b: '3' } });
      t.deepEqual(await client.told('cds'), { has: ['a=2'], lacks: [] });
    },
  ],
  [
    'D3: after a name, an empty set asks for nothing',
    async (t, wire, client) => {
      client.send('cds', { subscribe: ['a'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1'], lacks: [] });
      client.send('cds', { unsubscribe: ['a'] });
      client.send('cds');
      await client.nothing(t);
      push(wire, { clusters: { a: '2', b: '2' } });
      await client.nothing(t);
    },
  ],
  [
    'D4: unsubscribing a name beside `*` is answered with the resource, or with its removal',
    async (t, _wire, client) => {
      client.send('cds', { subscribe: ['*', 'a', 'x'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1', 'b=1'], lacks: ['x'] });
      client.send('cds', { unsubscribe: ['a', 'x'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1'], lacks: ['x'] });
    },
  ],
  [
    'D4: unsubscribing a name without `*` is not answered',
    async (t, _wire, client) => {
      client.send('cds', { subscribe: ['a', 'b'] });
      await client.told('cds');
      client.send('cds', { unsubscribe: ['a'] });
      await client.nothing(t);
    },
  ],
  [
    'D5: a name that is subscribed to again is answered although nothing changed',
    async (t, _wire, client) => {
      client.send('eds', { subscribe: ['a', 'b'] });
      await client.told('eds');
      client.send('eds', { subscribe: ['a'] });
      t.deepEqual(await client.told('eds'), { has: ['a=1'], lacks: [] });
    },
  ],
  [
    'D5: a second `*` is answered with everything',
    async (t, _wire, client) => {
      client.send('cds', { subscribe: ['*'] });
      await client.told('cds');
      client.send('cds', { subscribe: ['*'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1', 'b=1'], lacks: [] });
    },
  ],
  [
    'D6: unsubscribing an unknown name has no effect',
    async (t, wire, client) => {
      client.send('cds', { subscribe: ['*'] });
      await client.told('cds');
      client.send('cds', { unsubscribe: ['x', 'a'] });
      await client.nothing(t);
      push(wire, { clusters: { a: '2', b: '1' } });
      t.deepEqual(await client.told('cds'), { has: ['a=2'], lacks: [] });
    },
  ],
  [
    'D7: an unknown name is told as removed at once, and sent when it appears',
    async (t, wire, client) => {
      client.send('eds', { subscribe: ['a', 'x'] });
      t.deepEqual(await client.told('eds'), { has: ['a=1'], lacks: ['x'] });
      push(wire, { endpoints: { a: '1', b: '1', x: '1' } }, { endpoints: new Set(['x']) });
      t.deepEqual(await client.told('eds'), { has: ['x=1'], lacks: [] });
    },
  ],
  [
    'D8: a name that is unsubscribed and subscribed to is sent again',
    async (t, _wire, client) => {
      client.send('eds', { subscribe: ['a', 'b'] });
      await client.told('eds');
      client.send('eds', { unsubscribe: ['a'] });
      client.send('eds', { subscribe: ['a'] });
      t.deepEqual(await client.told('eds'), { has: ['a=1'], lacks: [] });
      client.send('eds', { unsubscribe: ['b'], subscribe: ['b'] });
      t.deepEqual(await client.told('eds'), { has: ['b=1'], lacks: [] });
    },
  ],
  [
    'D9: a client that reconnects gets what differs from its versions, and the removal of what is gone',
    async (t, wire, first) => {
      first.send('cds', { subscribe: ['*'] });
      const { resources } = await first.next('cds');
      first.close();
      push(wire, { clusters: { a: '2', b: '1', d: '1' } });
      const versions = Object.fromEntries(resources.map(({ name, version }) => [name, version]));
      const client = wire.connect();
      client.send('cds', { versions: { ...versions, gone: 'xyz' } });
      t.deepEqual(await client.told('cds'), { has: ['a=2', 'd=1'], lacks: ['gone'] });
      await client.nothing(t);
    },
  ],
  [
    'D9: a client that reconnects with everything gets no response, and later changes',
    async (t, wire, first) => {
      first.send('eds', { subscribe: ['a', 'b'] });
      const { resources } = await first.next('eds');
      first.close();
      const client = wire.connect();
      const versions = Object.fromEntries(resources.map(({ name, version }) => [name, version]));
      client.send('eds', { subscribe: ['a', 'b'], versions });
      await client.nothing(t);
      push(wire, { endpoints: { a: '1', b: '2' } }, { endpoints: new Set(['b']) });
      t.deepEqual(await client.told('eds'), { has: ['b=2'], lacks: [] });
    },
  ],
  [
    'D10: endpoints of clusters that a reconnect changes are sent although they are equal',
    async (t, wire, first) => {
      first.send('cds');
      const clusters = await first.next('cds');
      first.send('eds', { subscribe: ['a', 'b'] });
      const endpoints = await first.next('eds');
      first.close();
      push(wire, { clusters: { a: '2', b: '1' } });
      const versionsOf = ({ resources }: typeof clusters) =>
        Object.fromEntries(resources.map(({ name, version }) => [name, version]));
      const client = wire.connect();
      client.send('cds', { versions: versionsOf(clusters) });
      t.deepEqual(await client.told('cds'), { has: ['a=2'], lacks: [] });
      client.send('eds', { subscribe: ['a', 'b'], versions: versionsOf(endpoints) });
      t.deepEqual(await client.told('eds'), { has: ['a=1'], lacks: [] });
      await client.nothing(t);
    },
  ],
  [
    'D11: a changed cluster is followed by its endpoints',
    async (t, wire, client) => {
      client.send('cds');
      await client.told('cds');
      client.send('eds', { subscribe: ['a', 'b'] });
      await client.told('eds');
      push(wire, { clusters: { a: '1', b: '2' } });
      t.deepEqual(await client.told('cds'), { has: ['b=2'], lacks: [] });
      t.deepEqual(await client.told('eds'), { has: ['b=1'], lacks: [] });
      await client.nothing(t);
    },
  ],
  [
    'D12: neither an acknowledgement nor a push without a change is answered',
    async (t, wire, client) => {
      client.send('cds');
      await client.told('cds');
      client.send('eds', { subscribe: ['a'] });
      await client.told('eds');
      await client.nothing(t);
      push(wire, {});
      await client.nothing(t);
    },
  ],
  [
    'D13: a rejected response is not sent again, and the next change is',
    async (t, wire, client) => {
      client.send('cds');
      await client.told('cds');
      push(wire, { clusters: { a: '2', b: '2' } });
      client.ack(await client.next('cds'), { error: 'cluster a is bad' });
      await client.nothing(t);
      const watch = [...wire.rig.sessions].at(-1)?.snapshot()?.watches.values().next().value;
      t.is(watch?.rejection?.message, 'cluster a is bad');
      push(wire, {});
      await client.nothing(t);
      // Envoy applies the valid clusters of a rejected response, so it may have b=2 or b=1.
      push(wire, { clusters: { a: '3', b: '1' } });
      t.deepEqual(await client.told('cds'), { has: ['a=3', 'b=1'], lacks: [] });
      await client.nothing(t);
    },
  ],
  [
    'D14: a stale nonce acknowledges nothing, but its names count',
    async (t, wire, client) => {
      client.send('eds', { subscribe: ['a'] });
      await client.told('eds');
      push(wire, { endpoints: { a: '2', b: '1' } }, { endpoints: new Set(['a']) });
      const newest = await client.next('eds');
      client.send('eds', { nonce: 'long gone' });
      client.send('eds', { nonce: 'long gone', subscribe: ['b'] });
      await client.nothing(t);
      client.ack(newest);
      t.deepEqual(await client.told('eds'), { has: ['b=1'], lacks: [] });
      t.is(wire.rig.counts['nonceExpired eds'], 2);
    },
  ],
  [
    'D15: names in an acknowledgement and in a rejection count',
    async (t, _wire, client) => {
      client.send('eds', { subscribe: ['a'] });
      client.ack(await client.next('eds'), { subscribe: ['b'] });
      const second = await client.next('eds');
      t.deepEqual(
        second.resources.map(({ name }) => name),
        ['b'],
      );
      client.ack(second, { error: 'b is bad', subscribe: ['x'] });
      const { removed } = await client.next('eds');
      t.deepEqual(removed, ['x']);
    },
  ],
  [
    'D16: a name that changes, goes or comes while the client asks for it is in the response once',
    async (t, wire, client) => {
      client.send('cds', { subscribe: ['*', 'a'] });
      const first = await client.next('cds');
      push(wire, { clusters: { b: '2', c: '1' } });
      client.send('cds', { subscribe: ['a', 'b', 'c', 'x'] });
      client.ack(first);
      const { resources, removed } = await client.next('cds');
      t.deepEqual(resources.map(({ body }) => String(body)).sort(), ['b=2', 'c=1']);
      t.deepEqual([...removed].sort(), ['a', 'x']);
    },
  ],
  [
    'D17: a node in a later request changes nothing',
    async (t, wire, client) => {
      client.send('cds', { node: NODE });
      await client.told('cds');
      client.send('eds', { node: 'router~10.0.0.9~other.ns~ns.svc.cluster.local', subscribe: ['a'] });
      await client.told('eds');
      t.deepEqual(
        [...wire.rig.sessions].map(({ proxy }) => proxy?.id),
        [NODE],
      );
    },
  ],
  [
    'D18: clusters that are not acknowledged delay neither endpoints nor, beyond a limit in time, further clusters',
    async (t, wire, client) => {
      client.send('cds');
      await client.told('cds');
      client.send('eds', { subscribe: ['a', 'b'] });
      await client.told('eds');
      push(wire, { clusters: { a: '2', b: '1' } });
      await client.next('cds');
      await client.told('eds');
      push(wire, { endpoints: { a: '2', b: '1' }, clusters: { a: '2', b: '2' } });
      t.deepEqual(await client.told('eds'), { has: ['a=2'], lacks: [] });
      await client.nothing(t);
      wire.rig.clock.advance(15_000);
      t.deepEqual(await client.told('cds'), { has: ['a=2', 'b=2'], lacks: [] });
    },
  ],
  [
    'D19: clusters come first in a push, and their removals last',
    async (t, wire, client) => {
      client.send('cds');
      await client.told('cds');
      client.send('eds', { subscribe: ['a', 'b'] });
      await client.told('eds');
      client.send('rds', { subscribe: ['a'] });
      await client.told('rds');
      const before = client.order().length;
      push(wire, { clusters: { a: '2', c: '1' }, routes: { a: '2' }, endpoints: { a: '1', c: '1' } });
      t.deepEqual(await client.told('cds'), { has: ['a=2', 'c=1'], lacks: [] });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['b'] });
      t.deepEqual(await client.told('eds'), { has: ['a=1'], lacks: ['b'] });
      t.deepEqual(await client.told('rds'), { has: ['a=2'], lacks: [] });
      t.deepEqual(client.order().slice(before), ['cds', 'eds', 'rds', 'cds']);
    },
  ],
  [
    'D19: a removal alone comes after the other types',
    async (t, wire, client) => {
      client.send('cds');
      await client.told('cds');
      client.send('rds', { subscribe: ['a'] });
      await client.told('rds');
      const before = client.order().length;
      push(wire, { clusters: { a: '1' }, routes: { a: '2' } });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['b'] });
      await client.told('rds');
      t.deepEqual(client.order().slice(before), ['rds', 'cds']);
    },
  ],
  [
    'D20: a filter configuration is never told as removed',
    async (t, wire, client) => {
      client.send('ecds', { subscribe: ['a', 'x'] });
      t.deepEqual(await client.told('ecds'), { has: ['a=1'], lacks: [] });
      push(wire, { extensions: {} });
      await client.nothing(t);
      push(wire, { extensions: { a: '2', x: '1' } });
      t.deepEqual(await client.told('ecds'), { has: ['a=2', 'x=1'], lacks: [] });
    },
  ],
  [
    'D21: endpoints that go with their cluster are dropped by the client without an answer',
    async (t, wire, client) => {
      client.send('cds');
      await client.told('cds');
      client.send('eds', { subscribe: ['a', 'b'] });
      await client.told('eds');
      push(wire, { clusters: { a: '1' }, endpoints: { a: '1' } });
      t.deepEqual(await client.told('eds'), { has: [], lacks: ['b'] });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['b'] });
      client.send('eds', { unsubscribe: ['b'] });
      await client.nothing(t);
    },
  ],
  [
    'D23: clusters that are asked for one by one are answered at once, known or not',
    async (t, _wire, client) => {
      client.send('cds', { subscribe: ['a'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1'], lacks: [] });
      client.send('cds', { subscribe: ['b'] });
      t.deepEqual(await client.told('cds'), { has: ['b=1'], lacks: [] });
      client.send('cds', { subscribe: ['x'] });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['x'] });
    },
  ],
  [
    'D23: a client on demand gets what it needs without asking, and each cluster that it asks for beside `*`',
    async (t, wire, client) => {
      wire.rig.content.onDemand = ['a'];
      push(wire, { clusters: { a: '1', b: '1', c: '1' } });
      client.send('cds');
      t.deepEqual(await client.told('cds'), { has: ['a=1'], lacks: [] });
      client.send('cds', { subscribe: ['c'] });
      t.deepEqual(await client.told('cds'), { has: ['c=1'], lacks: [] });
      client.send('cds', { subscribe: ['x'] });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['x'] });
      push(wire, { clusters: { a: '1', b: '2', c: '2', x: '1' } });
      t.deepEqual(await client.told('cds'), { has: ['c=2', 'x=1'], lacks: [] });
      push(wire, { clusters: { a: '1', b: '2', x: '1' } });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['c'] });
      push(wire, { clusters: { a: '1', b: '2', c: '2', x: '1' } });
      t.deepEqual(await client.told('cds'), { has: ['c=2'], lacks: [] });
    },
  ],
  [
    'D23: a client on demand gets nothing of clusters that it did not ask for, and nothing when it reconnects',
    async (t, wire, first) => {
      wire.rig.content.onDemand = ['a'];
      first.send('cds');
      const needed = await first.next('cds');
      first.ack(needed, { subscribe: ['b'] });
      const asked = await first.next('cds');
      first.close();
      const client = wire.connect();
      const versions = Object.fromEntries(
        [...needed.resources, ...asked.resources].map(({ name, version }) => [name, version]),
      );
      client.send('cds', { subscribe: ['*', 'b', 'x'], versions: { ...versions, gone: 'v' } });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['x', 'gone'] });
      push(wire, { clusters: { a: '1', b: '1', c: '1' } });
      push(wire, { clusters: { a: '1', b: '1', c: '2' } });
      await client.nothing(t);
      push(wire, { clusters: { a: '1', b: '2', c: '2' } });
      t.deepEqual(await client.told('cds'), { has: ['b=2'], lacks: [] });
    },
  ],
  [
    'D23: a cluster that a client on demand no longer asks for is told as removed, and one that it needs is told again',
    async (t, wire, client) => {
      wire.rig.content.onDemand = ['a'];
      client.send('cds', { subscribe: ['*', 'a', 'b'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1', 'b=1'], lacks: [] });
      client.send('cds', { unsubscribe: ['a', 'b'] });
      t.deepEqual(await client.told('cds'), { has: ['a=1'], lacks: ['b'] });
      push(wire, { clusters: { a: '1', b: '2' } });
      await client.nothing(t);
    },
  ],
  [
    'D23: the configuration counts as distributed to a client on demand that has learnt none of it',
    async (t, wire, client) => {
      wire.rig.content.onDemand = ['a'];
      client.send('cds');
      await client.told('cds');
      push(wire, { clusters: { a: '1', b: '2', c: '1' } });
      await client.nothing(t);
      const watches = [...wire.rig.sessions].map((session) => session.snapshot()?.watches.get(TypeUrl.cluster));
      t.deepEqual(
        watches.map((watch) => watch?.ackedConfigVersion),
        [wire.rig.distributor.configVersion],
      );
    },
  ],
  [
    'D25: a first request without names, of a type without a wildcard, gets nothing and leaves no subscription',
    async (t, wire, client) => {
      client.send('eds');
      await client.nothing(t);
      push(wire, { endpoints: { a: '2' } }, { endpoints: new Set(['a']) });
      await client.nothing(t);
      t.false(
        [...wire.rig.sessions][0]
          ?.snapshot()
          ?.watches.has('type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment'),
      );
    },
  ],
  [
    'D19: a virtual host that names a new cluster waits for its acknowledgement, and a cluster leaves after its users',
    async (t, wire, client) => {
      push(wire, TABLES);
      client.send('cds');
      client.ack(await client.next('cds'));
      client.send('rds', { subscribe: ['80'] });
      await client.told('rds');
      client.send('vhds');
      await client.told('vhds');
      push(wire, { clusters: { a: '1', c: '1' }, hosts: { '80': { x: 'to c', y: '1' } } });
      const clusters = await client.next('cds');
      t.deepEqual([clusters.resources.map(({ name }) => name), clusters.removed], [['c'], []]);
      await client.nothing(t);
      client.ack(clusters);
      t.deepEqual(await client.told('vhds'), { has: ['80/x=to c'], lacks: [] });
      t.deepEqual(await client.told('cds'), { has: [], lacks: ['b'] });
    },
  ],
  [
    'D24: a first request without names means the virtual hosts of all tables, and a changed one comes alone',
    async (t, wire, client) => {
      push(wire, TABLES);
      client.send('rds', { subscribe: ['80', '90'] });
      await client.told('rds');
      client.send('vhds');
      t.deepEqual(await client.told('vhds'), { has: ['80/x=1', '80/y=1', '90/z=1'], lacks: [] });
      push(wire, { hosts: { '80': { x: '2' }, '90': { z: '1', new: '1' } } });
      t.deepEqual(await client.told('vhds'), { has: ['80/x=2', '90/new=1'], lacks: ['80/y'] });
      await client.nothing(t);
    },
  ],
  [
    'D24: a further table brings its virtual hosts without a request, and a dropped one takes them away',
    async (t, wire, client) => {
      push(wire, TABLES);
      client.send('rds', { subscribe: ['90'] });
      await client.told('rds');
      client.send('vhds');
      t.deepEqual(await client.told('vhds'), { has: ['90/z=1'], lacks: [] });
      client.send('rds', { subscribe: ['80'] });
      await client.told('rds');
      t.deepEqual(await client.told('vhds'), { has: ['80/x=1', '80/y=1'], lacks: [] });
      client.send('rds', { unsubscribe: ['90'] });
      t.deepEqual(await client.told('vhds'), { has: [], lacks: ['90/z'] });
      push(wire, { routes: {} });
      t.deepEqual(await client.told('rds'), { has: [], lacks: ['80'] });
      t.deepEqual(await client.told('vhds'), { has: [], lacks: ['80/x', '80/y'] });
    },
  ],
  [
    'D24: a table that is sent again brings all its virtual hosts again, which the client may have lost',
    async (t, wire, client) => {
      push(wire, TABLES);
      client.send('rds', { subscribe: ['80', '90'] });
      await client.told('rds');
      client.send('vhds');
      await client.told('vhds');
      push(wire, { routes: { '80': '2', '90': '1' } });
      t.deepEqual(await client.told('rds'), { has: ['80=2'], lacks: [] });
      t.deepEqual(await client.told('vhds'), { has: ['80/x=1', '80/y=1'], lacks: [] });
      client.send('rds', { unsubscribe: ['90'], subscribe: ['90'] });
      t.deepEqual(await client.told('rds'), { has: ['90=1'], lacks: [] });
      t.deepEqual(await client.told('vhds'), { has: ['90/z=1'], lacks: [] });
      await client.nothing(t);
    },
  ],
  [
    'D24: a client that reconnects keeps its virtual hosts, also if it asks for them before it asks for tables',
    async (t, wire, first) => {
      push(wire, TABLES);
      first.send('rds', { subscribe: ['80', '90'] });
      const tables = versionsOf(await first.next('rds'));
      first.send('vhds');
      const hosts = versionsOf(await first.next('vhds'));
      first.close();
      push(wire, { hosts: { '80': { x: '2', y: '1' }, '90': { z: '1' } } });
      const client = wire.connect();
      client.send('vhds', { versions: { ...hosts, '80/gone': 'abc' } });
      client.send('rds', { subscribe: ['80', '90'], versions: tables });
      t.deepEqual(await client.told('vhds'), { has: ['80/x=2'], lacks: ['80/gone'] });
      await client.nothing(t);
    },
  ],
  [
    'D25: a request for virtual hosts on a stream without tables is answered when the stream has one',
    async (t, wire, client) => {
      push(wire, TABLES);
      client.send('vhds');
      client.send('cds');
      await client.told('cds');
      client.send('rds', { subscribe: ['90'] });
      await client.told('rds');
      t.deepEqual(await client.told('vhds'), { has: ['90/z=1'], lacks: [] });
    },
  ],
  [
    'D30: a response names no errors of resources, which no client reads',
    async (t, _wire, client) => {
      client.send('eds', { subscribe: ['a', 'x'] });
      t.deepEqual((await client.next('eds')).otherFields, []);
    },
  ],
];

const WIRES = [
  ['the session', async (t: ExecutionContext) => openSessions(t)],
  ['a gRPC stream', openGrpc],
] as const;

for (const [title, rule] of RULES) {
  for (const [on, open] of WIRES) {
    test(`${title} (${on})`, async (t) => {
      const wire = await open(t);
      await rule(t, wire, wire.connect());
    });
  }
}

test('an older Envoy, and a stream for one type, get whole tables and no virtual hosts', async (t) => {
  for (const [version, onlyType] of [
    ['1.39.9', undefined],
    ['', undefined],
    ['1.40.0', TYPES.rds],
  ] as const) {
    const { client, session } = connectSession(createRig({ envoyVersion: version }), { onlyType });
    client.send('rds', { subscribe: ['a'] });
    await client.told('rds');
    t.is(session.proxy?.takesVirtualHosts, undefined, version);
    if (onlyType !== undefined) continue;
    client.send('vhds');
    await client.nothing(t);
  }
});

test('D24: virtual hosts on demand: those that are asked for, and on a new stream only what differs', async (t) => {
  const wire = openSessions(t, { onDemand: true });
  push(wire, TABLES);
  const first = wire.connect();
  first.send('rds', { subscribe: ['80', '90'] });
  const got = await first.next('rds');
  first.ack(got);
  const tables = versionsOf(got);
  first.send('vhds');
  t.deepEqual(await first.told('vhds'), { has: [], lacks: [] });
  first.send('vhds', { subscribe: ['80/x'] });
  const hosts = await first.next('vhds');
  t.deepEqual(
    hosts.resources.map(({ name }) => name),
    ['80/x'],
  );
  first.ack(hosts);
  first.send('vhds', { subscribe: ['80/X'] });
  t.deepEqual(await first.told('vhds'), { has: [], lacks: ['80/X'] });
  push(wire, { hosts: { '80': { x: '1', y: '2', new: '1' }, '90': { z: '2' } } });
  await first.nothing(t);
  push(wire, { hosts: { '80': { x: '2', y: '2' }, '90': { z: '2' } } });
  const changed = await first.next('vhds');
  t.deepEqual(
    changed.resources.map(({ body }) => String(body)),
    ['80/x=2'],
  );
  first.ack(changed);
  push(wire, { routes: { '80': '2', '90': '1' } });
  await first.told('rds');
  t.deepEqual(await first.told('vhds'), { has: ['80/x=2'], lacks: [] });
  first.close();
  const again = wire.connect();
  again.send('rds', { subscribe: ['80', '90'], versions: { '90': tables['90'] ?? '' } });
  await again.told('rds');
  again.send('vhds', { subscribe: ['*', '80/x', '90/z'], versions: versionsOf(changed) });
  t.deepEqual(await again.told('vhds'), { has: ['90/z=2'], lacks: [] });
  await again.nothing(t);
});
