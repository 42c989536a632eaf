import test from 'ava';
import { frameResource } from '../../src/envoy/message-encoder.js';
import type { NamedGenerator } from '../../src/generators/generator.js';
import type { Finding } from '../../src/model/finding.js';
import { createPushNotice } from '../../src/push/push-notice.js';
import { createResourceCache } from '../../src/push/resource-cache.js';
import fc from '../support/property-testing.js';
import { pushRequest } from '../support/push-requests.js';
import { createDefaultContext } from '../xds/default-context.js';
import { proxyOf } from '../xds/session-rig.js';

const HOSTS = ['a', 'b', 'c', 'd'];
const PORTS = ['80', '90'];
const NAMES = {
  id: 'all',
  names: HOSTS.flatMap((host) => PORTS.map((port) => `${host}|${port}`)),
  characters: 0,
};
const proxy = proxyOf('sidecar~1');

/** Resources that say what their host has; none while the host has 'nothing', a finding while it has 'empty'. */
function generatorOf(state: Map<string, string>, scope: { key: string }) {
  const asked: string[] = [];
  const hostOf = (name: string): string => name.slice(0, name.indexOf('|'));
  const contentOf = (name: string): string => state.get(hostOf(name)) ?? '';
  const generator: NamedGenerator = {
    typeUrl: 'named',
    mode: 'named',
    affectedBy: () => true,
    scope: () => scope,
    hostOf,
    generate: (_context, _scope, name) => {
      asked.push(name);
      const content = contentOf(name);
      return content === 'nothing' ? undefined : frameResource('named', name, Buffer.from(content));
    },
    findings: (_context, _scope, name) =>
      contentOf(name) === 'empty' ? [{ metric: 'nav_eds_no_instances', key: name, message: name }] : [],
  };
  return { generator, asked };
}

function rig() {
  const state = new Map(HOSTS.map((host) => [host, 'first']));
  const scope = { key: '1' };
  const { generator, asked } = generatorOf(state, scope);
  const cache = createResourceCache(createDefaultContext(1));
  let sequence = 1;
  return {
    state,
    scope,
    asked,
    ask: () => cache.resourcesFor(generator, proxy, NAMES),
    findings: () => cache.findings(),
    advance: (endpoints: readonly string[], full = false) => {
      const context = createDefaultContext(++sequence);
      cache.advance(context, createPushNotice(pushRequest({ full, endpoints: new Set(endpoints) }), context));
    },
    /** What a cache without memory has. */
    expected: () => {
      const fresh = createResourceCache(createDefaultContext(1));
      const set = fresh.resourcesFor(generatorOf(state, scope).generator, proxy, NAMES);
      return { set, findings: fresh.findings() };
    },
  };
}

test('when only endpoints of some hosts changed, only resources that depend on them are made again', (t) => {
  const { state, ask, advance, asked } = rig();
  const first = ask();
  asked.length = 0;
  state.set('b', 'second');
  advance(['b', 'unknown']);
  const second = ask();
  t.deepEqual(asked, ['b|80', 'b|90']);
  t.is(second.resources[0], first.resources[0]);
  t.not(second.resources[2]?.version, first.resources[2]?.version);
});

test('changes between two uses of the cache add up', (t) => {
  const { state, ask, advance, asked } = rig();
  const first = ask();
  asked.length = 0;
  state.set('b', 'second');
  advance(['b']);
  state.set('c', 'second');
  advance(['c']);
  t.not(ask(), first);
  t.deepEqual(asked, ['b|80', 'b|90', 'c|80', 'c|90']);
});

test('a host whose endpoints change back gives the same set', (t) => {
  const { ask, advance } = rig();
  const first = ask();
  advance(['a', 'd']);
  t.is(ask(), first);
});

test('a full push, or another scope, makes all resources again', (t) => {
  const { scope, ask, advance, asked } = rig();
  ask();
  asked.length = 0;
  advance(['a'], true);
  const second = ask();
  t.is(asked.length, NAMES.names.length);
  scope.key = '2';
  advance(['a']);
  t.not(ask(), second);
  t.is(asked.length, 2 * NAMES.names.length);
});

const CHANGE = fc.record({
  contents: fc.dictionary(fc.constantFrom(...HOSTS), fc.constantFrom('first', 'second', 'nothing', 'empty')),
  full: fc.boolean(),
  asks: fc.boolean(),
});

test('after changes in any order, the result is that of a cache without memory', (t) => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 12 }), (changes) => {
      const { state, ask, advance, expected, findings } = rig();
      // Sets live as long as a proxy has them.
      const held = [ask()];
      for (const { contents, full, asks } of changes) {
        for (const [host, content] of Object.entries(contents)) state.set(host, content);
        advance(Object.keys(contents), full);
        if (!asks) continue;
        const set = ask();
        held.push(set);
        const { set: wanted, findings: found } = expected();
        t.deepEqual(set.resources, wanted.resources);
        t.is(set.hash, wanted.hash);
        t.deepEqual(sortedKeys(findings()), sortedKeys(found));
      }
    }),
  );
});

function sortedKeys(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ key }) => key).sort();
}
