import test from 'ava';
import { createRig } from '../session-rig.js';
import { connectSession, push } from './delta-client.js';

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
