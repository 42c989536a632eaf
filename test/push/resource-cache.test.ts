import test from 'ava';
import { inOneStep } from '../../src/base/steps.js';
import { frameResource } from '../../src/envoy/message-encoder.js';
import type { GroupedGenerator, NamedGenerator, WildcardGenerator } from '../../src/generators/generator.js';
import type { Finding } from '../../src/model/finding.js';
import { createPushNotice } from '../../src/push/push-notice.js';
import { createResourceCache, type ResourceCache } from '../../src/push/resource-cache.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';
import { pushRequest } from '../support/push-requests.js';
import { createDefaultContext } from '../xds/default-context.js';
import { proxyOf } from '../xds/session-rig.js';

const finding: Finding = { metric: 'nav_eds_no_instances', key: 'k', message: 'm' };

function wildcard(body: { current: string }, affected = true): WildcardGenerator {
  return {
    typeUrl: 'wild',
    mode: 'wildcard',
    affectedBy: () => affected,
    parts: [
      {
        name: 'shared',
        scope: () => ({ key: '' }),
        generate: () => ({ resources: [frameResource('wild', 'b', Buffer.from(body.current))], findings: [finding] }),
      },
      {
        name: 'own',
        scope: (_context, proxy) => (proxy.type === 'router' ? undefined : { key: proxy.name }),
        generate: () => ({ resources: [frameResource('wild', 'a', Buffer.from('own'))], findings: [] }),
      },
    ],
  };
}

const proxy = proxyOf('sidecar~1');

function advance(cache: ResourceCache, sequence: number): void {
  const context = createDefaultContext(sequence);
  cache.advance(context, createPushNotice(pushRequest(), context));
}

test('parts are merged by name, and a part without a scope for the proxy is left out', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const generator = wildcard({ current: '1' });
  const names = (set: { resources: readonly { name: string }[] }) => set.resources.map(({ name }) => name);
  t.deepEqual(names(cache.resourcesFor(generator, proxy, undefined)), ['a', 'b']);
  t.deepEqual(names(cache.resourcesFor(generator, { ...proxy, type: 'router' }, undefined)), ['b']);
});

test('equal scopes share one set, and parts that two scopes share are generated once', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const generator = wildcard({ current: '1' });
  const first = cache.resourcesFor(generator, proxy, undefined);
  t.is(cache.resourcesFor(generator, { ...proxy, id: 'other' }, undefined), first);
  t.is(cache.generations, 2);
  t.not(cache.resourcesFor(generator, { ...proxy, name: 'elsewhere' }, undefined), first);
  t.is(cache.generations, 3);
});

test('a snapshot that changes nothing keeps the identity of the set', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const body = { current: '1' };
  const generator = wildcard(body);
  const first = cache.resourcesFor(generator, proxy, undefined);
  advance(cache, 2);
  t.is(cache.resourcesFor(generator, proxy, undefined), first);
  body.current = '2';
  advance(cache, 3);
  const third = cache.resourcesFor(generator, proxy, undefined);
  t.not(third, first);
  t.not(third.hash, first.hash);
});

test('a type that a change cannot concern is not generated again and keeps its findings', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const generator = wildcard({ current: '1' }, false);
  cache.resourcesFor(generator, proxy, undefined);
  advance(cache, 2);
  cache.resourcesFor(generator, proxy, undefined);
  t.is(cache.generations, 2);
  t.deepEqual(cache.findings(), [finding]);
});

test('a wildcard type asked for by name gives those names', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const set = cache.resourcesFor(wildcard({ current: '1' }), proxy, { id: 'x', names: ['b', 'c'], characters: 0 });
  t.deepEqual(
    set.resources.map(({ name }) => name),
    ['b'],
  );
});

test('a named type leaves out names that do not exist and collects findings of those asked for', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const generator: NamedGenerator = {
    typeUrl: 'named',
    mode: 'named',
    affectedBy: () => true,
    scope: () => ({ key: '' }),
    generate: (_context, _scope, name) =>
      name === 'gone' ? undefined : frameResource('named', name, Buffer.from(name)),
    findings: (_context, _scope, name) => (name === 'empty' ? [finding] : []),
  };
  const set = cache.resourcesFor(generator, proxy, { id: 'x', names: ['empty', 'full', 'gone'], characters: 0 });
  t.deepEqual(
    set.resources.map(({ name }) => name),
    ['empty', 'full'],
  );
  t.deepEqual(cache.findings(), [finding]);
});

test('many groups are made with pauses, and all of them from the snapshot of the first step', (t) => {
  const generator: GroupedGenerator = {
    typeUrl: 'grouped',
    mode: 'grouped',
    affectedBy: () => true,
    scope: () => ({ key: '' }),
    generate: ({ version }, _scope, group) => [frameResource('grouped', group, Buffer.from(version))],
  };
  const cache = createResourceCache(createDefaultContext(1));
  const names = Array.from({ length: 5_000 }, (_, index) => `group-${index}`).sort();
  const groups = { id: 'all', names, characters: 0 };
  const work = cache.prepareResources(generator, proxy, groups);
  let pauses = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) {
    if (pauses++ === 3) advance(cache, 2);
  }
  t.true(pauses >= 20, `${pauses} pauses`);
  const versions = (set: { resources: readonly { version: string }[] }) =>
    new Set(set.resources.map(({ version }) => version));
  t.is(step.value.resources.length, names.length);
  t.is(versions(step.value).size, 1);
  const next = versions(cache.resourcesFor(generator, proxy, groups));
  t.is(next.size, 1);
  t.notDeepEqual(next, versions(step.value));
});

/** A part that takes three steps and tells which snapshots it was made from. */
function longPart(made: string[]): WildcardGenerator {
  return {
    typeUrl: 'wild',
    mode: 'wildcard',
    affectedBy: () => true,
    parts: [
      {
        name: 'long',
        scope: () => ({ key: '' }),
        generate: ({ version }) => {
          made.push(`at once ${version}`);
          return { resources: [frameResource('wild', 'a', Buffer.from(version))], findings: [] };
        },
        *generateInSteps({ version }) {
          for (let step = 0; step < 3; step++) yield;
          made.push(version);
          return { resources: [frameResource('wild', 'a', Buffer.from(version))], findings: [] };
        },
      },
    ],
  };
}

test('proxies of one scope make a long part of a wildcard type together, with pauses', (t) => {
  const context = createDefaultContext(1);
  const cache = createResourceCache(context);
  const made: string[] = [];
  const generator = longPart(made);
  const [first, second] = [1, 2].map(() => cache.prepareResources(generator, proxy, undefined));
  if (first === undefined || second === undefined) throw new Error('two works');
  t.false(first.next().done);
  t.false(second.next().done);
  const set = inOneStep(first);
  t.is(inOneStep(second), set);
  t.deepEqual(made, [context.version]);
  t.is(cache.resourcesFor(generator, proxy, undefined), set);
  t.is(made.length, 1);
});

test('a wildcard type whose snapshot changes in a pause has the resources of the newest snapshot', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const made: string[] = [];
  const generator = longPart(made);
  const work = cache.prepareResources(generator, proxy, undefined);
  work.next();
  advance(cache, 2);
  const set = inOneStep(work);
  t.deepEqual(made, [createDefaultContext(1).version, createDefaultContext(2).version]);
  t.is(cache.resourcesFor(generator, proxy, undefined), set);
  t.is(made.length, 2);
});

test('a wildcard type is made in the end, however fast snapshots follow each other', (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const made: string[] = [];
  const work = cache.prepareResources(longPart(made), proxy, undefined);
  let sequence = 1;
  // Each pause brings another snapshot.
  for (let step = work.next(); step.done !== true && sequence < 100; step = work.next()) advance(cache, ++sequence);
  t.true(sequence < 100);
  t.is(made.at(-1), `at once ${createDefaultContext(sequence).version}`);
});

test('groups of one resource are one part, and of two that make the same name the last counts', (t) => {
  const generator: GroupedGenerator = {
    typeUrl: 'grouped',
    mode: 'grouped',
    affectedBy: () => true,
    scope: () => ({ key: '' }),
    generate: (_context, _scope, group) => [frameResource('grouped', group.replace('?', ''), Buffer.from(group))],
  };
  const cache = createResourceCache(createDefaultContext(1));
  const groups = { id: 'all', names: ['none', ...Array.from({ length: 100 }, (_, index) => `?${index}`), '?none'] };
  const set = cache.resourcesFor(generator, proxy, { ...groups, characters: 0 });
  t.is(set.parts.length, 1);
  t.is(set.resources.length, 101);
  const none = set.resources.filter(({ name }) => name === 'none');
  t.deepEqual(
    none.map(({ entry }) => entry.includes('?none')),
    [true],
  );
  advance(cache, 2);
  t.is(cache.resourcesFor(generator, proxy, { ...groups, characters: 0 }), set);
});

test('a group with a line break does not stand for several groups of another proxy', (t) => {
  const generator: GroupedGenerator = {
    typeUrl: 'grouped',
    mode: 'grouped',
    affectedBy: () => true,
    scope: () => ({ key: '' }),
    generate: (_context, _scope, group) => [frameResource('grouped', group, Buffer.from(group))],
  };
  const cache = createResourceCache(createDefaultContext(1));
  const namesFor = (...names: readonly string[]) =>
    cache.resourcesFor(generator, proxy, { id: '', names, characters: 0 }).resources.map(({ name }) => name);
  t.deepEqual(namesFor('a', 'b\nc'), ['a', 'b\nc']);
  t.deepEqual(namesFor('a', 'b', 'c'), ['a', 'b', 'c']);
});

test('sets without a proxy are not kept, after any number of subscriptions', async (t) => {
  const cache = createResourceCache(createDefaultContext(1));
  const generator: NamedGenerator = {
    typeUrl: 'named',
    mode: 'named',
    affectedBy: () => true,
    scope: () => ({ key: '' }),
    generate: (_context, _scope, name) => frameResource('named', name, Buffer.from(name)),
  };
  const kept = cache.resourcesFor(generator, proxy, { id: 'kept', names: ['kept'], characters: 0 });
  const passing = Array.from({ length: 1000 }, (_, index) => {
    const id = String(index);
    return new WeakRef(cache.resourcesFor(generator, proxy, { id, names: [id], characters: 0 }));
  });
  await eventually('the memory is given back', () => {
    collectGarbage();
    return passing.every((reference) => reference.deref() === undefined);
  });
  t.is(cache.resourcesFor(generator, proxy, { id: 'kept', names: ['kept'], characters: 0 }), kept);
});
