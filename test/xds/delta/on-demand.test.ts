import test, { type ExecutionContext } from 'ava';
import { LimitError } from '../../../src/xds/limits/xds-limits.js';
import { createRig } from '../session-rig.js';
import { connectSession, NODE, openSessions, push, TYPES } from './delta-client.js';
import { deltaRequest } from './delta-messages.js';

const SIDECARS = 500;

test('a new cluster sends nothing to 500 clients on demand that do not ask for it, and is made once', async (t) => {
  const rig = createRig();
  rig.content.onDemand = ['a'];
  const sidecars = Array.from({ length: SIDECARS }, () => connectSession(rig));
  for (const { client } of sidecars) client.send('cds');
  for (const { client } of sidecars) t.deepEqual(await client.told('cds'), { has: ['a=1'], lacks: [] });
  // Every second one has learnt a cluster.
  const learning = sidecars.filter((_, index) => index % 2 === 0);
  for (const { client } of learning) client.send('cds', { subscribe: ['b'] });
  for (const { client } of learning) t.deepEqual(await client.told('cds'), { has: ['b=1'], lacks: [] });
  const sent = () => sidecars.map(({ stream }) => stream.sent.length);
  const before = sent();
  const { generations } = rig.distributor.resources;

  push({ rig }, { clusters: { a: '1', b: '1', c: '1' } });
  await sidecars[0]?.client.nothing(t);
  // The first one has asked for a probe.
  t.deepEqual(sent().slice(1), before.slice(1));
  const acked = sidecars.map(({ session }) => [...(session.snapshot()?.watches.values() ?? [])][0]?.ackedConfigVersion);
  t.deepEqual(new Set(acked), new Set([rig.distributor.configVersion]));
  // The clusters of the scope, and the routes of the probe.
  t.is(rig.distributor.resources.generations, generations + 2);

  push({ rig }, { clusters: { a: '1', b: '2', c: '1' } });
  for (const { client } of learning) t.deepEqual(await client.told('cds'), { has: ['b=2'], lacks: [] });
  t.is(sidecars[1]?.stream.sent.length, before[1]);
});

test('a cluster that does not exist is answered at once, though clusters wait for the routes that use them', async (t) => {
  const rig = createRig();
  rig.content.onDemand = ['a'];
  const { client } = connectSession(rig);
  client.send('cds');
  t.deepEqual(await client.told('cds'), { has: ['a=1'], lacks: [] });
  client.send('rds', { subscribe: ['a'] });
  const routes = await client.next('rds');
  push({ rig }, { clusters: { b: '1' }, routes: { a: '2' } });
  client.send('cds', { subscribe: ['b', 'unknown'] });
  t.deepEqual(await client.told('cds'), { has: ['b=1'], lacks: ['unknown'] });
  client.send('cds', { subscribe: ['unknown too'] });
  t.deepEqual(await client.told('cds'), { has: [], lacks: ['unknown too'] });
  client.ack(routes);
  t.deepEqual(await client.told('rds'), { has: ['a=2'], lacks: [] });
  t.deepEqual(await client.told('cds'), { has: [], lacks: ['a'] });
  await client.nothing(t);
});

/** A sidecar on demand whose tables have 20 hosts, on streams that may name 4. */
function connectCrawler(t: ExecutionContext) {
  const wire = openSessions(t, { onDemand: true, limits: { names: 4 } });
  const hosts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [host(index), '1']));
  push(wire, { routes: { '80': '1' }, hosts: { '80': hosts } });
  const connect = async () => {
    const client = wire.connect();
    client.send('rds', { subscribe: ['80'] });
    await client.told('rds');
    return client;
  };
  return { ...wire, connect };
}

const host = (index: number): string => `h${String(index).padStart(2, '0')}`;
const names = (...indexes: readonly number[]): string[] => indexes.map((index) => `80/${host(index)}`);
const bodies = (...indexes: readonly number[]): string[] => names(...indexes).map((name) => `${name}=1`);
/** Answers without a virtual host, which end the waiting of Envoy's requests. */
const empty = (...indexes: readonly number[]): string[] => names(...indexes).map((name) => `${name}=`);

test('a workload that calls more hosts than the limit of names keeps its stream and its earlier hosts', async (t) => {
  const { rig, connect } = connectCrawler(t);
  const client = await connect();
  client.send('vhds');
  t.deepEqual(await client.told('vhds'), { has: [], lacks: [] });
  for (const index of [0, 1, 2]) {
    client.send('vhds', { subscribe: names(index) });
    t.deepEqual(await client.told('vhds'), { has: bodies(index), lacks: [] });
  }
  t.is(rig.counts['limitMet names'], undefined);
  client.send('vhds', { subscribe: names(3, 4) });
  t.deepEqual(await client.told('vhds'), { has: empty(3, 4), lacks: [] });
  push({ rig }, { hosts: { '80': { [host(0)]: '2', [host(3)]: '2' } } });
  t.deepEqual(await client.told('vhds'), { has: ['80/h00=2'], lacks: names(1, 2) });
  t.is(rig.counts['limitMet names'], 1);
  const [line] = rig.logger.records.filter(({ message }) => /more names than a subscription/.test(message));
  t.like(line?.fields, { type: 'vhds', number: 2, setting: 'NAV_XDS_MAX_NAMES' });
});

test('a workload that reconnects with more hosts than the limit of names keeps its stream and the hosts that it has first', async (t) => {
  const { rig, connect } = connectCrawler(t);
  const client = await connect();
  const all = Array.from({ length: 16 }, (_, index) => index);
  const versions = Object.fromEntries(names(...all.slice(10)).map((name) => [name, 'another']));
  client.send('vhds', { subscribe: names(...all), versions });
  const { has, lacks } = await client.told('vhds');
  t.deepEqual(has.toSorted(), [...empty(...all.slice(0, 10)), ...bodies(10, 11, 12, 13), ...empty(14, 15)]);
  t.deepEqual(lacks, []);
  client.send('vhds', { subscribe: names(19) });
  t.deepEqual(await client.told('vhds'), { has: empty(19), lacks: [] });
  t.is(rig.counts['limitMet names'], 2);
});

test('clusters beyond the limit of names are answered as unknown, and those of before stay', async (t) => {
  const { rig, connect } = connectCrawler(t);
  rig.content.onDemand = [];
  rig.content.clusters = { a: '1', b: '1', c: '1', d: '1' };
  const client = await connect();
  client.send('cds');
  await client.told('cds');
  client.send('cds', { subscribe: ['a', 'b'] });
  t.deepEqual(await client.told('cds'), { has: ['a=1', 'b=1'], lacks: [] });
  client.send('cds', { subscribe: ['c', 'd'] });
  t.deepEqual(await client.told('cds'), { has: ['c=1'], lacks: ['d'] });
  client.send('cds', { unsubscribe: ['a'], subscribe: ['d'] });
  t.deepEqual(await client.told('cds'), { has: ['d=1'], lacks: ['a'] });
  await client.nothing(t);
});

test('a request for four times as many names as a subscription may have ends the stream', async (t) => {
  const rig = createRig({ onDemand: true, limits: { names: 4 } });
  const { stream, session } = connectSession(rig);
  const many = names(...Array.from({ length: 17 }, (_, index) => index));
  const request = deltaRequest({ node: NODE, typeUrl: TYPES.vhds, subscribe: many });
  const error = t.throws(() => session.receive(request), { instanceOf: LimitError });
  t.is(error?.limit, 'names');
  t.deepEqual([rig.sessions.size, stream.sent.length], [0, 0]);
});

test('a virtual host that was rejected comes again when it is asked for or has changed, and with no other answer', async (t) => {
  const wire = openSessions(t, { onDemand: true });
  push(wire, { routes: { '80': '1' }, hosts: { '80': { good: '1', bad: '1', other: '1' } } });
  const client = wire.connect();
  client.send('rds', { subscribe: ['80'] });
  await client.told('rds');
  client.send('vhds');
  await client.told('vhds');
  client.send('vhds', { subscribe: ['80/bad'] });
  client.ack(await client.next('vhds'), { error: 'duplicate entry of domain' });
  client.send('vhds', { subscribe: ['80/good'] });
  t.deepEqual(await client.told('vhds'), { has: ['80/good=1'], lacks: [] });
  push(wire, {});
  await client.nothing(t);
  client.send('vhds', { subscribe: ['80/other'] });
  t.deepEqual(await client.told('vhds'), { has: ['80/other=1'], lacks: [] });
  client.send('vhds', { subscribe: ['80/bad'] });
  const again = await client.next('vhds');
  t.deepEqual(
    again.resources.map(({ name }) => name),
    ['80/bad'],
  );
  client.ack(again, { error: 'duplicate entry of domain' });
  push(wire, { hosts: { '80': { good: '1', bad: '2', other: '1' } } });
  t.deepEqual(await client.told('vhds'), { has: ['80/bad=2'], lacks: [] });
  push(wire, { hosts: { '80': { good: '2', bad: '2', other: '1' } } });
  t.deepEqual(await client.told('vhds'), { has: ['80/good=2'], lacks: [] });
});
