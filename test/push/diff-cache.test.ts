import test from 'ava';
import { frameResource } from '../../src/envoy/message-encoder.js';
import { createResourceSet, joinResourceSets } from '../../src/envoy/resource-set.js';
import { createDiffCache } from '../../src/push/diff-cache.js';

const setOf = (bodies: Record<string, string>) =>
  createResourceSet(Object.entries(bodies).map(([name, body]) => frameResource('t', name, Buffer.from(body))));
const namesOf = (resources: readonly { readonly name: string }[]) => resources.map(({ name }) => name);

test('the same step gives the same object, so that streams can share its bytes', (t) => {
  const diffs = createDiffCache();
  const [from, to] = [setOf({ a: '1' }), setOf({ a: '2' })];
  t.is(diffs.diff(from, to), diffs.diff(from, to));
  t.is(diffs.select(from, to, undefined), diffs.select(from, to, undefined));
});

test('a selection has changed and repeated resources, once each and sorted', (t) => {
  const diffs = createDiffCache();
  const [from, to] = [setOf({ a: '1', b: '1', c: '1', d: '1' }), setOf({ a: '1', b: '2', c: '1', d: '1' })];
  const again = diffs.diff(setOf({ a: 'x' }), setOf({ a: 'y', z: 'y' }));
  t.deepEqual(namesOf(diffs.select(from, to, again).resources), ['a', 'b']);
});

test('a cluster that waits for an assignment of another name gets that one again', (t) => {
  const diffs = createDiffCache();
  const cluster = { ...frameResource('t', 'alias', Buffer.from('changed')), assignment: 'b' };
  const endpoints = setOf({ a: '1', alias: '1', b: '1' });
  const again = diffs.diff(undefined, createResourceSet([cluster]));
  t.deepEqual(namesOf(diffs.select(endpoints, endpoints, again).resources), ['b']);
});

test("repeated resources are those of the proxy's own set, in any order of proxies", (t) => {
  const again = createDiffCache().diff(undefined, setOf({ b: 'changed' }));
  const [without, near, far] = [setOf({ a: '1' }), setOf({ a: '1', b: 'near' }), setOf({ a: '1', b: 'far' })];
  for (const order of [
    [without, near, far],
    [far, near, without],
  ]) {
    const diffs = createDiffCache();
    const selected = new Map(order.map((set) => [set, diffs.select(set, set, again)]));
    t.deepEqual(selected.get(without)?.resources, []);
    t.is(selected.get(near)?.resources[0], near.resources[1]);
    t.is(selected.get(far)?.resources[0], far.resources[1]);
    t.is(selected.get(near), diffs.select(near, near, again), 'once for each set');
  }
});

test('proxies that share a changed part, and wait for resources of another part, get their own resources', (t) => {
  const diffs = createDiffCache();
  const again = diffs.diff(undefined, setOf({ b: 'changed' }));
  const [before, after] = [setOf({ a: '1' }), setOf({ a: '2' })];
  const [mine, yours] = [setOf({ b: 'mine' }), setOf({ b: 'yours' })];
  const selected = (own: typeof mine) =>
    diffs.select(joinResourceSets([before, own]), joinResourceSets([after, own]), again).resources;
  t.is(selected(mine)[1], mine.resources[0]);
  t.is(selected(yours)[1], yours.resources[0]);
});

test('compared with no set, all resources are new', (t) => {
  const diffs = createDiffCache();
  t.deepEqual(namesOf(diffs.select(undefined, setOf({ a: '1', b: '1' }), undefined).resources), ['a', 'b']);
});

test('proxies that share the part which changed share the difference', (t) => {
  const diffs = createDiffCache();
  const [before, after] = [setOf({ a: '1', c: '1' }), setOf({ a: '2', c: '1' })];
  const [mine, yours] = [setOf({ b: 'mine' }), setOf({ b: 'yours' })];
  const step = (own: typeof mine) => diffs.diff(joinResourceSets([before, own]), joinResourceSets([after, own]));
  t.is(step(mine), step(yours));
  t.deepEqual(namesOf(step(mine).changed), ['a']);
});

test('when several parts changed the difference is that of the whole', (t) => {
  const diffs = createDiffCache();
  const from = joinResourceSets([setOf({ a: '1' }), setOf({ b: '1' })]);
  const to = joinResourceSets([setOf({ a: '2' }), setOf({ c: '1' })]);
  const { changed, removed } = diffs.diff(from, to);
  t.deepEqual(namesOf(changed), ['a', 'c']);
  t.deepEqual(removed, ['b']);
});
