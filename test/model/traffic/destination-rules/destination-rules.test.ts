import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import type { Service } from '../../../../src/model/service.js';
import {
  createDestinationRuleIndexer,
  type DestinationRules,
} from '../../../../src/model/traffic/destination-rules/destination-rules.js';
import { createTrafficTranslator } from '../../../../src/model/traffic/mesh-traffic.js';
import { buildService, MESH } from '../../../generators/context-builder.js';
import { collectGarbage } from '../../../support/collect-garbage.js';
import { eventually } from '../../../support/eventually.js';
import { destinationRule, tableOf } from './destination-rule.js';

const WEB = buildService({ name: 'web', namespace: 'shop' });
const API = buildService({ name: 'api', namespace: 'shop' });

function index(rules: readonly MeshObject[], mesh = MESH): DestinationRules {
  return createDestinationRuleIndexer()({ objects: tableOf(rules), mesh, domain: 'cluster.local' });
}

/** A policy that names its rule. */
const policy = (maxConnections: number) => ({ connectionPool: { tcp: { maxConnections } } });

function ruleIn(rules: DestinationRules, namespace: string, service: Service = WEB): readonly string[] {
  return rules.visibleFrom(namespace).ruleOf(service)?.sources ?? [];
}

const HOST = 'web.shop.svc.cluster.local';
const OF_CLIENT = destinationRule('client/of-client', { host: HOST, trafficPolicy: policy(1) });
const OF_SERVICE = destinationRule('shop/of-service', { host: 'web', trafficPolicy: policy(2) });
const OF_ROOT = destinationRule('mesh-system/of-root', { host: '*', trafficPolicy: policy(3) });

test('the rule of the client comes before that of the service, and that before the one of the root namespace', (t) => {
  t.deepEqual(ruleIn(index([OF_ROOT, OF_SERVICE, OF_CLIENT]), 'client'), ['DestinationRule/client/of-client']);
  t.deepEqual(ruleIn(index([OF_ROOT, OF_SERVICE]), 'client'), ['DestinationRule/shop/of-service']);
  t.deepEqual(ruleIn(index([OF_ROOT]), 'client'), ['DestinationRule/mesh-system/of-root']);
  t.deepEqual(ruleIn(index([]), 'client'), []);
});

test('a rule of a namespace that is neither the client nor the owner of the service never applies', (t) => {
  const foreign = destinationRule('attacker/steal', { host: HOST, exportTo: ['*'], trafficPolicy: policy(4) });
  const named = destinationRule('attacker/named', { host: HOST, exportTo: ['client'], trafficPolicy: policy(5) });
  const rules = index([foreign, named]);
  t.deepEqual(ruleIn(rules, 'client'), []);
  t.deepEqual(ruleIn(rules, 'shop'), []);
  t.deepEqual(ruleIn(rules, 'attacker'), ['DestinationRule/attacker/steal']);
});

test('proxies of the root namespace prefer the rules of services to those for the whole mesh', (t) => {
  t.deepEqual(ruleIn(index([OF_ROOT, OF_SERVICE]), 'mesh-system'), ['DestinationRule/shop/of-service']);
  t.deepEqual(ruleIn(index([OF_ROOT]), 'mesh-system'), ['DestinationRule/mesh-system/of-root']);
});

test('a rule applies to the clients that exportTo names', (t) => {
  const to = (exportTo: readonly string[]) => index([destinationRule('shop/rule', { host: 'web', exportTo })]);
  const own = ['DestinationRule/shop/rule'];
  t.deepEqual([ruleIn(to(['.']), 'shop'), ruleIn(to(['.']), 'client')], [own, []]);
  t.deepEqual([ruleIn(to(['client']), 'shop'), ruleIn(to(['client']), 'client')], [[], own]);
  t.deepEqual([ruleIn(to(['client']), 'other'), ruleIn(to(['*']), 'other')], [[], own]);
});

test('a namespace that a rule is exported to does not share the view of the namespace of the rule', (t) => {
  const rules = index([destinationRule('shop/rule', { host: '*', exportTo: ['shop', 'client'] })]);
  const elsewhere = buildService({ name: 'web', namespace: 'elsewhere' });
  t.is(ruleIn(rules, 'shop', elsewhere).length, 1);
  t.is(ruleIn(rules, 'client', elsewhere).length, 0);
  t.is(ruleIn(rules, 'client').length, 1);
});

test('a rule without exportTo has that of the mesh config', (t) => {
  const rule = destinationRule('shop/rule', { host: 'web' });
  const rules = index([rule], { ...MESH, defaultDestinationRuleExportTo: ['.'] });
  t.deepEqual([ruleIn(rules, 'shop').length, ruleIn(rules, 'client').length], [1, 0]);
});

test('the longest pattern that matches applies', (t) => {
  const hosts = ['*', '*.local', '*.shop.svc.cluster.local', 'WEB.shop.svc.cluster.local.'];
  const rules = hosts.map((host, at) => destinationRule(`client/rule-${at}`, { host }));
  const found = rules.map((_, at) => ruleIn(index(rules.slice(0, at + 1)), 'client'));
  t.deepEqual(
    found,
    rules.map((_, at) => [`DestinationRule/client/rule-${at}`]),
  );
  const other = buildService({ hostname: '*.example.com', namespace: 'shop' });
  const ofPattern = index([destinationRule('client/rule', { host: '*.com' })]);
  t.is(ruleIn(ofPattern, 'client', other).length, 1);
  const ofName = index([destinationRule('client/rule', { host: 'api.example.com' })]);
  t.is(ruleIn(ofName, 'client', other).length, 0);
});

test('a name without dots is a Service of the namespace of the rule', (t) => {
  const rules = index([destinationRule('client/rule', { host: 'web' })]);
  t.deepEqual(ruleIn(rules, 'client'), []);
  t.is(ruleIn(rules, 'client', buildService({ name: 'web', namespace: 'client' })).length, 1);
});

test('several rules for a host: subsets merge, and the oldest policy and subset of a name apply', (t) => {
  const subset = (name: string, version: string) => ({ name, labels: { version } });
  const younger = destinationRule('shop/a', {
    host: 'web.shop.svc.cluster.local',
    trafficPolicy: policy(2),
    subsets: [subset('v1', 'young'), subset('v2', '2')],
  });
  const older = destinationRule(
    'shop/b',
    { host: 'web', trafficPolicy: policy(1), subsets: [subset('v1', '1')] },
    2010,
  );
  const rules = index([younger, older]);
  const rule = rules.visibleFrom('client').ruleOf(WEB);
  t.deepEqual(rule?.sources, ['DestinationRule/shop/b', 'DestinationRule/shop/a']);
  t.is(rule?.policy?.connectionPool?.tcp?.maxConnections, 1);
  t.deepEqual(
    rule?.subsets.map(({ name, labels }) => [name, labels['version']]),
    [
      ['v1', '1'],
      ['v2', '2'],
    ],
  );
  t.deepEqual(
    rules.ignored.map((part) => [part.rule.key, part.winner?.key, part.subset]),
    [
      ['DestinationRule/shop/a', 'DestinationRule/shop/b', undefined],
      ['DestinationRule/shop/a', 'DestinationRule/shop/b', 'v1'],
    ],
  );
  t.deepEqual(
    rules.findings.map(({ metric, object }) => [metric, object]),
    [['nav_destrule_subsets', 'DestinationRule/shop/a']],
  );
});

test('namespaces that see the same rules share one view, and a change of private rules keeps the others', (t) => {
  const indexer = createDestinationRuleIndexer();
  const of = (rules: readonly MeshObject[]) =>
    indexer({ objects: tableOf(rules), mesh: MESH, domain: 'cluster.local' });
  const own = destinationRule('shop/own', { host: 'web', exportTo: ['.'] });
  const before = of([OF_ROOT, own]);
  t.is(before.visibleFrom('a'), before.visibleFrom('b'));
  t.not(before.visibleFrom('a'), before.visibleFrom('shop'));
  const after = of([OF_ROOT, destinationRule('shop/own', { host: 'web', exportTo: ['.'], trafficPolicy: policy(9) })]);
  t.is(after.visibleFrom('a'), before.visibleFrom('a'));
  t.not(after.visibleFrom('shop').id, before.visibleFrom('shop').id);
});

test('a mesh without rules has the id of one without', (t) => {
  const rules = index([]);
  t.is(rules.visibleFrom('a').id, '');
  t.false(rules.visibleFrom('a').balancesByLocality);
});

test('a change of one rule keeps the clusters of all other services, and a rewrite without change all of them', (t) => {
  const indexer = createDestinationRuleIndexer();
  const translate = createTrafficTranslator();
  const clusters = (rules: readonly MeshObject[], namespace = 'client') => {
    const traffic = translate(MESH, indexer({ objects: tableOf(rules), mesh: MESH, domain: 'cluster.local' }));
    return [WEB, API].map((service) => traffic.ofNamespace(namespace).clustersOf(service));
  };
  const ofApi = destinationRule('shop/api', { host: 'api', trafficPolicy: policy(7) });
  const [web, api] = clusters([OF_SERVICE, ofApi]);
  const [changedWeb, sameApi] = clusters([
    destinationRule('shop/of-service', { host: 'web', trafficPolicy: policy(8) }),
    destinationRule('shop/api', { host: 'api', trafficPolicy: policy(7) }),
  ]);
  t.not(changedWeb, web);
  t.is(sameApi, api);
  t.is(clusters([OF_SERVICE, ofApi], 'elsewhere')[1], api);
  // Without its rule a service is as it was before.
  t.is(clusters([])[0], clusters([], 'shop')[0]);
  t.deepEqual(clusters([])[0]?.[0]?.policy, {
    loadBalancer: { type: 'leastRequest' },
    connections: { connectTimeoutMs: 10_000, upgradesToHttp2: false },
    tls: { mode: 'automatic', subjectAltNames: [] },
  });
});

test('endpoints depend on the locality of clients that see a rule with outlier detection or a distribution', (t) => {
  const balances = (spec: object) =>
    index([destinationRule('shop/rule', { host: 'web', exportTo: ['.', 'client'], ...spec })]);
  const detecting = balances({ trafficPolicy: { outlierDetection: {} } });
  t.true(detecting.visibleFrom('shop').balancesByLocality);
  t.true(detecting.visibleFrom('client').balancesByLocality);
  t.false(detecting.visibleFrom('other').balancesByLocality);
  const distribute = [{ from: '*', to: { '*': 100 } }];
  const portLevelSettings = [{ port: { number: 80 }, loadBalancer: { localityLbSetting: { distribute } } }];
  const inSubset = balances({ subsets: [{ name: 'v1', trafficPolicy: { portLevelSettings } }] });
  t.true(inSubset.visibleFrom('shop').balancesByLocality);
  t.false(balances({ trafficPolicy: policy(1) }).visibleFrom('shop').balancesByLocality);
});

test('the rules for one wildcard have 16 subsets together, because every service gets them', (t) => {
  const rules = ['a', 'b'].map((name) =>
    destinationRule(`client/${name}`, {
      host: '*.shop.svc.cluster.local',
      subsets: Array.from({ length: 16 }, (_, place) => ({ name: `${name}${place}`, labels: { version: name } })),
    }),
  );
  const indexed = index(rules);
  t.is(indexed.visibleFrom('client').ruleOf(WEB)?.subsets.length, 16);
  t.is(indexed.findings.length, 16);
});

test('views of rules that have changed are collected', async (t) => {
  const indexer = createDestinationRuleIndexer();
  const viewAfter = (change: number) => {
    const rule = destinationRule('shop/rule', { host: 'web', trafficPolicy: policy(change) });
    const view = indexer({ objects: tableOf([rule]), mesh: MESH, domain: 'cluster.local' }).visibleFrom('shop');
    t.truthy(view.ruleOf(WEB));
    return new WeakRef(view);
  };
  const views = [1, 2, 3, 4, 5].map(viewAfter);
  await eventually('only the last two are in memory', () => {
    collectGarbage();
    return views.slice(0, -2).every((view) => view.deref() === undefined);
  });
  // The indexer is alive, and with it all that it keeps.
  t.truthy(viewAfter(6).deref());
});
