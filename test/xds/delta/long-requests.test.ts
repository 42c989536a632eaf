import test from 'ava';
import { createRig } from '../session-rig.js';
import { connectSession } from './delta-client.js';

const many = (prefix: string): string[] => Array.from({ length: 60_000 }, (_, index) => `${prefix}${index}`);

test('a name that is answered while a long request is read is not answered again', async (t) => {
  const { client } = connectSession(createRig({ isSliced: true }));
  client.send('cds', { subscribe: ['a'] });
  client.send('cds', { subscribe: many('x') });
  const first = await client.told('cds');
  t.deepEqual(first.has, ['a=1']);
  t.deepEqual(first.lacks, []);
  const second = await client.told('cds');
  t.deepEqual(second.has, []);
  t.is(second.lacks.length, 60_000);
});

test('a claim whose entries cannot be decoded ends the stream as a wrong request, also beyond the limit of names', async (t) => {
  const { session } = connectSession(createRig({ limits: { names: 10 } }));
  const names = Array.from({ length: 11 }, (_, index) => Buffer.from([0x1a, 1, 0x61 + index]));
  const type = Buffer.from('type.googleapis.com/envoy.config.cluster.v3.Cluster');
  const node = Buffer.from('sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local');
  const request = Buffer.concat([
    ...[Buffer.from([0x0a, node.length + 2, 0x0a, node.length]), node, Buffer.from([0x12, type.length]), type],
    ...names,
    // An entry with a field of a kind that does not exist.
    Buffer.from([0x2a, 2, 0x0f, 0]),
  ]);
  await t.throwsAsync(async () => session.receive(request), { name: 'StreamError', message: /cannot be decoded/ });
});
