import test from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import { frameField, frameResource } from '../../../src/envoy/message-encoder.js';
import { resourceMessage } from '../../../src/envoy/resource-message.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { askedGroup } from '../../../src/envoy/virtual-host-names.js';
import { ComposedTable } from '../../../src/generators/routes/composed-table.js';
import { createRouteGenerator } from '../../../src/generators/routes/route-generator.js';
import { splitRoutes } from '../../../src/generators/virtual-hosts/split-routes.js';
import { createTableSplitter } from '../../../src/generators/virtual-hosts/split-table.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';
import { buildContext, buildPort, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, toJson } from '../served-resources.js';

const split = createTableSplitter(ENCODER, 0);
const hostBytes = (domain: string) =>
  ENCODER.encode(TypeUrl.virtualHost, {
    name: domain,
    domains: [domain],
    routes: [{ name: `of ${domain}`, match: { prefix: '/' }, directResponse: { status: 200 } }],
  });
const hostField = (name: string, domain: string) =>
  frameField(2, ENCODER.encode(TypeUrl.virtualHost, { name, domains: [domain] }));
const head = ENCODER.encode(TypeUrl.route, { name: '80', internalOnlyHeaders: ['x'] });

test('virtual hosts that stay in the next table are the same resources', (t) => {
  const shop = { name: 'shop:80', field: hostField('shop:80', 'shop') };
  const cart = { name: 'cart:80', field: hostField('cart:80', 'cart') };
  const before = split(new ComposedTable('80', head, [shop]));
  const after = split(new ComposedTable('80', head, [shop, cart]));
  t.is(inOneStep(after.hosts())[0], inOneStep(before.hosts())[0]);
  t.is(after.head.version, before.head.version);
  t.deepEqual(
    inOneStep(after.hosts()).map(({ name }) => name),
    ['80/shop:80', '80/cart:80'],
  );
  t.deepEqual(toJson(inOneStep(before.hosts())[0] as never), {
    '@type': TypeUrl.virtualHost,
    name: '80/shop:80',
    domains: ['shop'],
  });
});

test('a table that was encoded whole is split into the same parts as a composed one', (t) => {
  const fields = [hostField('shop:80', 'shop'), hostField('cart:80', 'cart')];
  const composed = new ComposedTable(
    '80',
    head,
    ['shop:80', 'cart:80'].map((name, index) => ({ name, field: fields[index] as Buffer })),
  );
  const whole = split(frameResource(TypeUrl.route, '80', resourceMessage(composed)));
  const parts = split(composed);
  t.deepEqual(
    inOneStep(whole.hosts()).map(({ name, version }) => [name, version]),
    inOneStep(parts.hosts()).map(({ name, version }) => [name, version]),
  );
  t.is(whole.head.version, parts.head.version);
  t.deepEqual(at(toJson(whole.head), 'vhds.configSource.ads'), {});
  t.deepEqual(at(toJson(whole.head), 'internalOnlyHeaders'), ['x']);
  t.is(at(toJson(whole.head), 'virtualHosts'), undefined);
});

test('names that Envoy could not assign to the table, or that are there twice, are changed', (t) => {
  const fields = ['a/b', 'same', 'same'].map((name) => ({ name, field: hostField(name, name) }));
  const { hosts } = split(new ComposedTable('unix:/sock', head, fields));
  t.deepEqual(
    inOneStep(hosts()).map((host) => [host.name, at(toJson(host), 'name')]),
    ['unix:/sock/a_b', 'unix:/sock/same', 'unix:/sock/same~2'].map((name) => [name, name]),
  );
});

test('a table without virtual hosts has one that takes no request, because Envoy waits for the first', (t) => {
  const { hosts } = split(frameResource(TypeUrl.route, '80', head));
  t.deepEqual(
    inOneStep(hosts()).map((host) => [host.name, at(toJson(host), 'domains')]),
    [['80/none', ['none.invalid']]],
  );
});

test('a virtual host for one host is the one that Envoy would choose, for that host alone', (t) => {
  const fields = ['*', '*.com', '*.example.com', 'shop.*', 'a.example.com', 'a.example.com:80'].map((domain) => ({
    name: domain,
    field: hostField(`host ${domain}`, domain),
  }));
  const routed = (name: string, domain: string) => ({ name, field: frameField(2, hostBytes(domain)) });
  const { hostFor } = split(new ComposedTable('80', head, [...fields, routed('routed', 'Upper.example.com')]));
  for (const host of ['a.example.com', 'b.example.com', 'example.com', 'shop.org', 'other', 'upper.example.com']) {
    const found = hostFor(host);
    t.is(found?.name, `80/${host}`);
    t.deepEqual(at(toJson(found as never), 'domains'), [host]);
    t.is(at(toJson(found as never), 'name'), `80/${host}`);
    t.is(hostFor(host), found);
  }
  t.deepEqual(at(toJson(hostFor('upper.example.com') as never), 'routes.0.name'), 'of Upper.example.com');
  t.is(split(new ComposedTable('80', head, [fields[3] as never])).hostFor('other'), undefined);
});

test('a proxy on demand has no virtual host at first, and each that it asks for, in lower case', (t) => {
  const metadata = { ...buildProxy().metadata, onDemand: true };
  const proxy = buildProxy({ takesVirtualHosts: true, speaksDelta: true, metadata });
  const context = buildContext({ services: [buildService({ name: 'web' })] });
  const { tables, virtualHosts } = splitRoutes(createRouteGenerator(ENCODER, SETTINGS), ENCODER, SETTINGS);
  const scope = tables.scope(context, proxy);
  const told = (group: string) =>
    virtualHosts.generate(context, scope, group).map((host) => ({
      name: host.name,
      aliases: host.aliases,
      cluster: host.entry.length === 0 ? undefined : at(toJson(host), 'routes.0.route.cluster'),
    }));
  t.deepEqual(told('80'), [{ name: '80/none', aliases: undefined, cluster: undefined }]);
  const cluster = 'outbound|80||web.default.svc.cluster.local';
  t.deepEqual(told(askedGroup('80/web')), [{ name: '80/web', aliases: undefined, cluster }]);
  t.deepEqual(told(askedGroup('80/elsewhere')), [
    { name: '80/elsewhere', aliases: undefined, cluster: 'PassthroughCluster' },
  ]);
  for (const name of ['80/Web', '80/*', '80/*.com', '80/']) {
    t.deepEqual(told(askedGroup(name)), [{ name, aliases: [name], cluster: undefined }]);
  }
  t.deepEqual(told(askedGroup('web.default.svc.cluster.local:80/web')), []);
});

test('only proxies that take virtual hosts one by one get split tables, and tables of one service stay whole', (t) => {
  const context = buildContext({
    services: [
      buildService({ name: 'web', ports: [buildPort(), buildPort({ number: 81, name: 'auto', protocol: 'auto' })] }),
    ],
  });
  const { tables, virtualHosts } = splitRoutes(createRouteGenerator(ENCODER, SETTINGS), ENCODER, SETTINGS);
  const hostsOf = (takesVirtualHosts: boolean, name: string) => {
    const scope = tables.scope(context, buildProxy({ takesVirtualHosts }));
    const inside = at(toJson(tables.generate(context, scope, name) as never), 'virtualHosts') as unknown[] | undefined;
    return [inside?.length ?? 0, virtualHosts.generate(context, scope, name).length];
  };
  t.deepEqual(hostsOf(false, '80'), [2, 0]);
  t.deepEqual(hostsOf(true, '80'), [0, 2]);
  t.deepEqual(hostsOf(true, 'web.default.svc.cluster.local:81'), [2, 0]);
  t.is(virtualHosts.generate(context, tables.scope(context, buildProxy({ takesVirtualHosts: true })), 'x').length, 0);
});

test('virtual hosts for single hosts are kept only while a proxy has them, however many hosts are asked for', async (t) => {
  const table = new ComposedTable('80', head, [{ name: 'any', field: hostField('any', '*') }]);
  const kept = split(table).hostFor('kept.example.com');
  const passing = Array.from({ length: 1000 }, (_, index) => {
    return new WeakRef(split(table).hostFor(`${index}.example.com`) as object);
  });
  await eventually('the memory is given back', () => {
    collectGarbage();
    return passing.every((reference) => reference.deref() === undefined);
  });
  t.is(split(table).hostFor('kept.example.com'), kept);
});
