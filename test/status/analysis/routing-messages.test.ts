import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { contextOf, service } from '../../model/mesh-objects.js';
import { ENFORCEMENT, shown } from './support.js';
import { made, only, pod, REVIEWS, routes, rule } from './traffic-support.js';

const TO_REVIEWS = [{ destination: { host: 'reviews' } }];
const HIDDEN = { annotations: { 'networking.mesh.internal/exportTo': '.' } };

/** Messages of one code with delegates turned on, without code and remedy. */
function delegateMessages(...objects: readonly MeshObject[]): readonly string[] {
  return analyze(analysisInputOf(contextOf(objects), { ...ENFORCEMENT, areDelegatesOn: true }))
    .filter(({ code }) => code === 'MESH0407')
    .map((message) => shown(message).replace('MESH0407 ', '').replace(/; .*/, ''));
}

const root = (fields: object = {}) =>
  made('VirtualService', 'shop/root', {
    hosts: ['reviews'],
    http: [{ match: [{ uri: { prefix: '/books' } }], delegate: { name: 'books', ...fields } }],
  });
/** A VirtualService without hosts. Validation refuses it unless delegates are on, which the tests turn on in analysis. */
function delegate(where: string, http: readonly object[], fields: object = {}): MeshObject {
  const written = made('VirtualService', where, { hosts: ['x.example.com'], http, ...fields });
  return { ...written, body: { ...(written.body as object), hosts: [] } };
}

test('a delegate has a message if it has hosts, is not exported, has a delegate itself, or matches nothing', (t) => {
  const fine = delegate('shop/books', [{ match: [{ uri: { prefix: '/books/1' } }], route: TO_REVIEWS }]);
  t.deepEqual(delegateMessages(REVIEWS, root(), fine), []);
  const place = 'VirtualService/shop/root spec.http[0].delegate: ';
  t.deepEqual(delegateMessages(REVIEWS, root(), routes('shop/books', { host: 'reviews' })), [
    `${place}VirtualService/shop/books has hosts, so it is no delegate, so the route does not exist`,
  ]);
  const elsewhere = delegate('other/books', [{ route: TO_REVIEWS }], { exportTo: ['.'] });
  t.deepEqual(delegateMessages(REVIEWS, root({ namespace: 'other' }), elsewhere), [
    `${place}VirtualService/other/books is not exported to namespace shop, so the route does not exist`,
  ]);
  const nested = delegate('shop/books', [{ delegate: { name: 'more' } }, { route: TO_REVIEWS }]);
  t.deepEqual(delegateMessages(REVIEWS, root(), nested, delegate('shop/more', [{ route: TO_REVIEWS }])), [
    `${place}http[0] of VirtualService/shop/books has a delegate itself, so that route is left out`,
  ]);
  const outside = delegate('shop/books', [{ match: [{ uri: { prefix: '/api' } }], route: TO_REVIEWS }]);
  t.deepEqual(delegateMessages(REVIEWS, root(), outside), [
    `${place}no condition of http[0] of VirtualService/shop/books is within the conditions of this route, so it is left out`,
  ]);
});

test('the routes beyond the size that delegates may reach are told', (t) => {
  const match = (name: string) =>
    Array.from({ length: 40 }, (_, at) => ({
      uri: { prefix: '/books' },
      headers: { [`${name}-${at}`]: { exact: 'x' } },
    }));
  const wide = made('VirtualService', 'shop/root', {
    hosts: Array.from({ length: 100 }, (_, at) => `h${at}.example.com`),
    http: [{ match: match('a'), delegate: { name: 'books' } }],
  });
  const many = delegate(
    'shop/books',
    Array.from({ length: 4 }, () => ({ match: match('b'), route: TO_REVIEWS })),
  );
  const [message = '', ...others] = delegateMessages(REVIEWS, wide, many);
  t.regex(message, /the routes up to here take more than \d+ bytes with their delegates, so the rest is left out/);
  t.deepEqual(others, []);
});

test('with delegates turned off, an object with one is ignored, and the message names the variable', (t) => {
  const context = contextOf([REVIEWS, delegate('shop/books', [{ route: TO_REVIEWS }])]);
  const messages = createCandidateAnalysis(context)(root(), ENFORCEMENT).map(shown);
  t.is(messages.length, 1, messages.join('\n'));
  t.regex(messages[0] ?? '', /^MESH0407 .*delegate: .* until NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE is true/);
  t.deepEqual(createCandidateAnalysis(context)(root(), { ...ENFORCEMENT, areDelegatesOn: true }), []);
});

test('an object without hosts that no route names has a message', (t) => {
  const books = delegate('shop/books', [{ route: TO_REVIEWS }]);
  t.deepEqual(delegateMessages(REVIEWS, books), [
    'VirtualService/shop/books spec.hosts: the object has no hosts, and no route of a VirtualService names it',
  ]);
  t.deepEqual(delegateMessages(REVIEWS, books, root()), []);
});

/** The fields of routes that take nothing, in an object with these routes. */
const unreachable = (kind: 'http' | 'tls' | 'tcp', ...all: readonly object[]) => {
  const hosts = { hosts: ['*.example.com'], http: [], gateways: ['mesh', 'shop/edge', 'shop/other'] };
  const spec = { ...hosts, [kind]: all.map((match) => ({ route: TO_REVIEWS, match: [match].flat() })) };
  return only('MESH0409', REVIEWS, made('VirtualService', 'shop/a', spec)).map((each) => each.split(' ')[2]);
};
const path = (prefix: string, fields: object = {}) => ({ uri: { prefix }, ...fields });

test('a route after one that takes all its requests is named', (t) => {
  const header = { headers: { user: { exact: 'eve' } } };
  const covered: readonly (readonly [outer: object, inner: object])[] = [
    [[], path('/a')],
    [{}, path('/a')],
    [path('/'), { uri: { regex: '/x.*' } }],
    [path('/a'), path('/a/b')],
    [path('/a'), { uri: { exact: '/ab' } }],
    [path('/a'), path('/a', header)],
    [{ headers: { user: {} } }, header],
    [{ uri: { regex: '/x.*' } }, { uri: { regex: '/x.*' }, method: { exact: 'GET' } }],
    [path('/A', { ignoreUriCase: true }), path('/a/b')],
    [{ gateways: ['mesh', 'edge'] }, { gateways: ['shop/edge'], port: 80 }],
    [{ sourceLabels: { app: 'a' } }, { sourceLabels: { app: 'a', version: 'v1' } }],
    [{ queryParams: { v: { prefix: '1' } } }, { queryParams: { v: { exact: '12' } } }],
    [{ withoutHeaders: { user: { exact: 'eve' } } }, { withoutHeaders: { user: { exact: 'eve' } }, port: 80 }],
  ];
  for (const [outer, inner] of covered) {
    t.deepEqual(unreachable('http', outer, inner), ['spec.http[1]'], JSON.stringify([outer, inner]));
  }
});

test('a route that takes some requests which no earlier route takes is not named', (t) => {
  const header = { headers: { user: { exact: 'eve' } } };
  const open: readonly (readonly [outer: object, inner: object])[] = [
    [path('/a'), []],
    [path('/a'), path('/A')],
    [path('/a'), path('/a', { ignoreUriCase: true })],
    [{ uri: { exact: '/a' } }, path('/a')],
    [path('/a'), { uri: { regex: '/a.*' } }],
    [header, { headers: { user: {} } }],
    [header, { headers: { other: { exact: 'eve' } } }],
    [{ withoutHeaders: { user: {} } }, {}],
    [{ gateways: ['mesh'] }, {}],
    [{ gateways: ['mesh'] }, { gateways: ['mesh', 'edge'] }],
    [{ port: 80 }, { port: 81 }],
    [{ sourceNamespace: 'a' }, {}],
    [{ method: { exact: 'GET' } }, { method: { prefix: 'GET' } }],
  ];
  for (const [outer, inner] of open) {
    t.deepEqual(unreachable('http', outer, inner), [], JSON.stringify([outer, inner]));
  }
});

test('one condition of a route is named if only that one is taken, and routes with delegates take nothing', (t) => {
  t.deepEqual(unreachable('http', path('/a'), [path('/a/b'), path('/b')]), ['spec.http[1].match[0]']);
  const spec = { hosts: ['reviews'], http: [{ delegate: { name: 'books' } }, { route: TO_REVIEWS }] };
  t.deepEqual(only('MESH0409', REVIEWS, made('VirtualService', 'shop/a', spec)), []);
});

test('of connections, only equal conditions and those for everything take from later ones', (t) => {
  const names = (...sniHosts: readonly string[]) => ({ sniHosts });
  t.deepEqual(unreachable('tls', names('a.example.com', 'b.example.com'), names('b.example.com')), ['spec.tls[1]']);
  // Envoy prefers the longer name.
  t.deepEqual(unreachable('tls', names('*.example.com'), names('b.example.com')), []);
  const range = { destinationSubnets: ['10.0.0.0/8'] };
  t.deepEqual(unreachable('tcp', {}, range), ['spec.tcp[1]']);
  t.deepEqual(unreachable('tcp', range, { ...range, port: 80 }), ['spec.tcp[1]']);
  t.deepEqual(unreachable('tcp', range, { destinationSubnets: ['10.1.0.0/16'] }), []);
});

function edge(where: string, ...hosts: readonly string[]): MeshObject {
  const servers = [{ port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts }];
  return made('Gateway', where, { selector: {}, servers });
}

test('hosts that no server of the Gateways has are named, and Gateways without any of the hosts', (t) => {
  const bound = (hosts: readonly string[], gateways: readonly string[]) =>
    routes('shop/a', { host: 'reviews' }, { hosts, gateways });
  const lost = (...objects: readonly MeshObject[]) =>
    only('MESH0410', REVIEWS, ...objects).map((each) => each.split(' ')[2]);
  const [ofAll, limited] = [edge('shop/edge', '*.example.com'), edge('shop/edge', 'web/*')];
  t.deepEqual(lost(ofAll, bound(['a.example.com'], ['edge'])), []);
  t.deepEqual(lost(ofAll, bound(['*'], ['edge'])), [], 'the narrower host is served');
  t.deepEqual(lost(ofAll, bound(['a.example.com', 'b.example.org'], ['edge'])), ['spec.hosts[1]']);
  t.deepEqual(
    lost(limited, bound(['a.example.com'], ['edge'])),
    ['spec.hosts[0]'],
    'the server is for another namespace',
  );
  t.deepEqual(lost(edge('shop/edge', './*'), bound(['a.example.com'], ['edge'])), []);
  t.deepEqual(lost(bound(['a.example.org'], ['gone'])), [], 'MESH0101 tells it');
  const both = bound(['a.example.com'], ['edge', 'web/other']);
  t.deepEqual(lost(ofAll, edge('web/other', '*.example.org'), both), ['spec.gateways[1]']);
  const mesh = bound(['reviews'], ['mesh', 'edge']);
  t.deepEqual(lost(ofAll, mesh), ['spec.gateways[1]'], 'sidecars use the host');
});

test('VirtualServices that only callers of their own namespace use are named where they say more', (t) => {
  const host = 'reviews.shop.svc.cluster.local';
  const of = (where: string, fields: object) => {
    const object = routes(where, { host }, fields);
    return only('MESH0408', REVIEWS, { ...object, origin: 'cluster' } as MeshObject).map((each) => each.split(' ')[2]);
  };
  t.deepEqual(of('web/a', { hosts: [host], exportTo: ['*'] }), ['spec.hosts[0]']);
  t.deepEqual(of('web/a', { hosts: ['x.example.com', '*.shop.svc.cluster.local'] }), ['spec.hosts[1]']);
  t.deepEqual(of('web/a', { hosts: [host], exportTo: ['.'] }), []);
  t.deepEqual(of('shop/a', { hosts: [host] }), []);
  t.deepEqual(of('mesh-system/a', { hosts: [host] }), [], 'the root namespace');
  t.deepEqual(only('MESH0408', REVIEWS, routes('web/a', { host }, { hosts: [host] })), [], 'an object of a file');
});

test('egress hosts of Sidecars that import nothing are named', (t) => {
  const hidden = service('web/hidden', {}, HIDDEN);
  const shown = service('web/shown', {});
  const external = routes('web/out', { host: 'reviews.shop' }, { hosts: ['out.example.com'], exportTo: ['*'] });
  const sidecar = (where: string, ...hosts: readonly string[]) => made('Sidecar', where, { egress: [{ hosts }] });
  const lost = (object: MeshObject) =>
    only('MESH0411', REVIEWS, hidden, shown, external, object).map((each) => each.split(' ')[2]);
  const svc = 'svc.cluster.local';
  const fine = ['*/*', './*', '~/*', 'web/*', `web/shown.web.${svc}`, `*/*.web.${svc}`, `./reviews.shop.${svc}`];
  t.deepEqual(lost(sidecar('shop/a', ...fine, 'web/out.example.com', '*/*.example.com')), []);
  t.deepEqual(lost(sidecar('shop/a', './*', `web/hidden.web.${svc}`)), ['spec.egress[0].hosts[1]'], 'not exported');
  t.deepEqual(lost(sidecar('web/a', `web/hidden.web.${svc}`)), []);
  t.deepEqual(lost(sidecar('mesh-system/a', `web/hidden.web.${svc}`)), [], 'workloads of web see it');
  for (const host of ['gone/*', 'web/shown', `shop/shown.web.${svc}`, '*/*.example.org', '*/out.example.org']) {
    t.deepEqual(lost(sidecar('shop/a', host)), ['spec.egress[0].hosts[0]'], host);
  }
});

test('subsets whose labels no pod of the service has are named, once it has pods', (t) => {
  const subsets = rule('shop/reviews', {
    subsets: [
      { name: 'v1', labels: { version: 'v1' } },
      { name: 'v2', labels: { version: 'v2' } },
      { name: 'all', labels: {} },
    ],
  });
  const messages = (...objects: readonly MeshObject[]) => only('MESH0413', REVIEWS, subsets, ...objects);
  t.deepEqual(messages(), []);
  t.deepEqual(messages(pod('shop/v1', { app: 'reviews', version: 'v1' }), pod('shop/x', { version: 'v2' })), [
    'MESH0413 DestinationRule/shop/reviews spec.subsets[1].labels',
  ]);
});

test('services that the proxies of an object do not see are named', (t) => {
  const own = service('shop/own', {}, HIDDEN);
  const host = 'own.shop.svc.cluster.local';
  const messages = (object: MeshObject) => only('MESH0414', own, object).map((each) => each.split(' ')[2]);
  t.deepEqual(messages(rule('web/a', { host })), ['spec.host']);
  t.deepEqual(messages(rule('shop/a', { host })), []);
  t.deepEqual(messages(rule('mesh-system/a', { host })), []);
  const routed = (fields: object) => routes('web/a', { host }, { hosts: ['x.example.com'], ...fields });
  t.deepEqual(messages(routed({ exportTo: ['.'] })), ['spec.http[0].route[0].destination.host']);
  t.deepEqual(messages(routed({ exportTo: ['.', 'shop'] })), []);
  t.deepEqual(messages(routed({})), [], 'callers of namespace shop see it');
});

test('patches of EnvoyFilters that name nothing which exists are named', (t) => {
  const host = 'reviews.shop.svc.cluster.local';
  const subsets = rule('shop/reviews', { subsets: [{ name: 'v1', labels: { version: 'v1' } }] });
  const secure = made('Gateway', 'shop/secure', {
    selector: {},
    servers: [
      {
        port: { number: 443, name: 'https', protocol: 'HTTPS' },
        hosts: ['*'],
        tls: { mode: 'SIMPLE', credentialName: 'shop' },
      },
    ],
  });
  const lost = (applyTo: string, match: object) => {
    const patch = { operation: 'MERGE', value: {} };
    const filter = made('EnvoyFilter', 'shop/patch', { configPatches: [{ applyTo, match, patch }] });
    return only('MESH0412', REVIEWS, subsets, edge('shop/plain', '*'), secure, filter).map(
      (each) => each.split(' ')[2],
    );
  };
  const cluster = (fields: object, context = 'SIDECAR_OUTBOUND') => lost('CLUSTER', { context, cluster: fields });
  t.deepEqual(cluster({ service: host, portNumber: 80, subset: 'v1' }), []);
  t.deepEqual(cluster({ service: host.toUpperCase() }), []);
  t.deepEqual(cluster({ portNumber: 81 }), []);
  t.deepEqual(cluster({ service: 'reviews' }), ['spec.configPatches[0].match.cluster.service']);
  t.deepEqual(cluster({ service: host, portNumber: 81 }), ['spec.configPatches[0].match.cluster.portNumber']);
  t.deepEqual(cluster({ service: host, portNumber: 81 }, 'ANY'), [], 'it may be an inbound port');
  t.deepEqual(cluster({ service: host, subset: 'v2' }), ['spec.configPatches[0].match.cluster.subset']);
  const routesOf = (gateway: string) =>
    lost('ROUTE_CONFIGURATION', { context: 'GATEWAY', routeConfiguration: { gateway } });
  t.deepEqual(routesOf('shop/secure'), []);
  t.deepEqual(routesOf('shop/plain'), ['spec.configPatches[0].match.routeConfiguration.gateway']);
  t.deepEqual(routesOf('shop/gone'), ['spec.configPatches[0].match.routeConfiguration.gateway']);
});
