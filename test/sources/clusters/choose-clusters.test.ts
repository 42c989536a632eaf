import test from 'ava';
import { chooseClusters } from '../../../src/sources/clusters/choose-clusters.js';
import { createClusterSecrets, type RegisteredCluster } from '../../../src/sources/clusters/cluster-secrets.js';

function registered(id: string, secret: string, since = '2026-01-01T00:00:00Z'): RegisteredCluster {
  return { id, secret: `Secret/mesh-system/${secret}`, since, kubeconfig: `of ${secret}` };
}

const OWN = new Map([['east', 'the own one']]);

test('of two secrets with one cluster id the older one is used, in any order of arrival', (t) => {
  const older = registered('west', 'z', '2025-12-31T00:00:00Z');
  const younger = registered('west', 'a');
  for (const order of [
    [older, younger],
    [younger, older],
  ]) {
    const { chosen, refused } = chooseClusters(order, OWN);
    t.deepEqual([...chosen.values()], [older]);
    t.deepEqual(refused, [
      {
        cluster: younger,
        reason: 'cluster west is Secret/mesh-system/z already; remove this key, or give it another id',
      },
    ]);
  }
});

test('secrets of one age are decided by name, so that all replicas decide alike', (t) => {
  const [a, b] = [registered('west', 'a'), registered('west', 'b')];
  t.deepEqual([...chooseClusters([b, a], OWN).chosen.values()], [a]);
});

test('a secret cannot register the cluster of the control plane', (t) => {
  const { chosen, refused } = chooseClusters([registered('east', 'a'), registered('west', 'a')], OWN);
  t.deepEqual([...chosen.keys()], ['west']);
  t.regex(refused[0]?.reason ?? '', /cluster east is the own one already/);
});

const secret = (name: string, data: object, version = '1') => ({
  metadata: { name, namespace: 'mesh-system', resourceVersion: version, creationTimestamp: '2026-01-01T00:00:00Z' },
  data,
});

function watched() {
  const states: string[] = [];
  const sink = createClusterSecrets((all) => {
    states.push(all.map(({ id, kubeconfig, secret: name }) => `${name.split('/')[2]}:${id}=${kubeconfig}`).join(' '));
  });
  return { sink, states };
}

test('each key of a secret is a cluster, and its value is decoded', (t) => {
  const { sink, states } = watched();
  const list = sink.replace();
  list.add([secret('a', { west: 'dw==', north: 'bg==' })]);
  t.true(sink.isEmpty());
  list.commit();
  t.false(sink.isEmpty());
  t.deepEqual(states, ['a:west=w a:north=n']);
});

test('the changes of a new list are delivered together', (t) => {
  const { sink, states } = watched();
  sink.apply([{ type: 'ADDED', object: secret('a', { west: 'dw==' }) }]);
  sink.apply([
    { type: 'MODIFIED', object: secret('a', { west: 'eA==' }) },
    { type: 'ADDED', object: secret('b', {}) },
  ]);
  sink.apply([{ type: 'DELETED', object: secret('a', {}) }]);
  sink.apply([]);
  const list = sink.replace();
  list.add([secret('c', { south: 'cw==' })]);
  list.commit();
  t.deepEqual(states, ['a:west=w', 'a:west=x', '', 'c:south=s']);
});

test('a secret without data, or with data of another shape, registers no cluster', (t) => {
  const { sink, states } = watched();
  sink.apply([{ type: 'ADDED', object: { metadata: secret('a', {}).metadata } }]);
  sink.apply([{ type: 'MODIFIED', object: secret('a', { west: null, north: 5 }) }]);
  t.deepEqual(states, ['', 'a:west= a:north=']);
});
