import test from 'ava';
import {
  COMMON,
  createIndexer,
  gateway,
  http,
  indexOf,
  MESH,
  route,
  service,
  tablesOf,
  textsOf,
} from './api-objects.js';

const to = { backendRefs: [{ name: 'web', port: 80 }] };
const match = (fields: object) => ({ ...to, matches: [fields] });
const path = (value: string, type = 'PathPrefix') => ({ path: { type, value } });

/** The names of the routes of a host, in their order. */
function namesOf(api: ReturnType<typeof indexOf>, hostname: string, index = 0): readonly string[] | undefined {
  const hosts = api.routes.hostsOf({ gateway: 'edge/gateway-api/public', index });
  return hosts?.find((host) => host.hostname === hostname)?.virtualHost.routes.map((draft) => draft.route.name);
}

test('matches of all routes are tried in the order of the Gateway API', (t) => {
  const header = (name: string) => ({ name, value: 'a' });
  const rules = [
    ['every', {}],
    ['short', path('/a')],
    ['long', path('/a/b')],
    ['method', { ...path('/a'), method: 'GET' }],
    ['two headers', { ...path('/a'), headers: [header('x'), header('y')] }],
    ['one header', { ...path('/a'), headers: [header('x')] }],
    ['parameter', { ...path('/a'), queryParams: [header('x')] }],
    ['expression', path('/.*', 'RegularExpression')],
    ['exact', path('/a', 'Exact')],
  ] as const;
  const routes = rules.map(([name, fields]) => route(`shop/${name.replace(' ', '-')}`, { rules: [match(fields)] }));
  t.deepEqual(namesOf(indexOf(gateway('edge/public', [http()]), ...routes), '*'), [
    'shop/exact/0',
    'shop/expression/0',
    'shop/long/0',
    'shop/method/0',
    'shop/two-headers/0',
    'shop/one-header/0',
    'shop/parameter/0',
    'shop/short/0',
    'shop/every/0',
  ]);
});

test('of equal matches the oldest route comes first, then by name, then by rule', (t) => {
  const young = { creationTimestamp: '2026-02-01T00:00:00Z' };
  const old = { creationTimestamp: '2026-01-01T00:00:00Z' };
  const rules = [match(path('/a')), match(path('/a'))];
  const routes = [
    route('shop/c', { rules }, old),
    route('shop/b', { rules }, young),
    route('shop/a', { rules }, young),
  ];
  t.deepEqual(namesOf(indexOf(gateway('edge/public', [http()]), ...routes), '*'), [
    ...['shop/c/0', 'shop/c/1', 'shop/a/0', 'shop/a/1', 'shop/b/0', 'shop/b/1'],
  ]);
});

test('a host belongs to the narrowest listener of its port', (t) => {
  const listeners = [
    http({ name: 'every' }),
    http({ name: 'wildcard', hostname: '*.example.com' }),
    http({ name: 'exact', hostname: 'a.example.com' }),
    http({ name: 'elsewhere', port: 81 }),
  ];
  const hostnames = ['a.example.com', 'b.example.com', 'c.example.org'];
  const api = indexOf(gateway('edge/public', listeners), route('shop/r', { hostnames, rules: [to] }));
  const hosts = listeners.map((_, index) =>
    api.routes.hostsOf({ gateway: 'edge/gateway-api/public', index })?.map(({ hostname }) => hostname),
  );
  t.deepEqual(hosts, [['c.example.org'], ['b.example.com', '*.example.com'], ['a.example.com'], hostnames]);
  t.deepEqual(namesOf(api, '*.example.com', 1), []);
});

test('a route above the limit of its namespace is not accepted, and routes of other namespaces are', (t) => {
  const hostnames = Array.from({ length: 16 }, (_, index) => `h${index}.example.com`);
  const rules = [{ ...to, matches: Array.from({ length: 64 }, (_, index) => path(`/${index}`)) }];
  const many = Array.from({ length: 6 }, (_, index) => route(`shop/r${index}`, { hostnames, rules }));
  const { report } = indexOf(gateway('edge/public', [http()]), ...many, route('toys/r', { hostnames, rules }));
  const accepted = report.routes.map(({ key, parents }) => `${key} ${textsOf(parents[0]?.conditions)[0]}`);
  t.deepEqual(accepted.slice(3), [
    'HTTPRoute/shop/r3 Accepted=true Accepted',
    'HTTPRoute/shop/r4 Accepted=false UnsupportedValue',
    'HTTPRoute/shop/r5 Accepted=false UnsupportedValue',
    'HTTPRoute/toys/r Accepted=true Accepted',
  ]);
});

test('tables that a change does not touch stay the same objects', (t) => {
  const index = createIndexer();
  const objects = [
    ...COMMON,
    gateway('edge/public', [http()]),
    route('shop/a', { hostnames: ['a.example.com'], rules: [to] }),
    route('shop/b', { hostnames: ['b.example.com'], rules: [to] }),
  ];
  const first = index({ objects: tablesOf(objects), mesh: MESH });
  const other = index({ objects: tablesOf([...objects, service('shop/other')]), mesh: MESH });
  t.is(other.routes, first.routes);
  t.is(other.gateways, first.gateways);
  const changed = route('shop/b', { hostnames: ['b.example.com'], rules: [match(path('/new'))] });
  const next = index({ objects: tablesOf([...objects.slice(0, -1), changed]), mesh: MESH });
  const hostsOf = ({ routes }: typeof first) => routes.hostsOf({ gateway: 'edge/gateway-api/public', index: 0 }) ?? [];
  t.not(next.routes.id, first.routes.id);
  t.is(next.gateways, first.gateways);
  t.is(hostsOf(next)[0]?.virtualHost, hostsOf(first)[0]?.virtualHost);
  t.not(hostsOf(next)[1]?.virtualHost, hostsOf(first)[1]?.virtualHost);
});

test('a redirect without a port goes to the port of its scheme, or else to that of the listener', (t) => {
  const filters = (requestRedirect: object) => ({ filters: [{ type: 'RequestRedirect', requestRedirect }] });
  const rules = [
    filters({ scheme: 'https' }),
    filters({ hostname: 'a.example.com' }),
    filters({ port: 8443 }),
    filters({ scheme: 'http', port: 80 }),
  ];
  const actionsAt = (port: number) =>
    indexOf(gateway('edge/public', [http({ port })]), route('shop/r', { rules }))
      .routes.hostsOf({ gateway: 'edge/gateway-api/public', index: 0 })?.[0]
      ?.virtualHost.routes.map(({ route: { action } }) => (action.type === 'redirect' ? action.port : 'no redirect'));
  t.deepEqual(actionsAt(80), [undefined, undefined, 8443, undefined]);
  t.deepEqual(actionsAt(8080), [undefined, 8080, 8443, undefined]);
});
