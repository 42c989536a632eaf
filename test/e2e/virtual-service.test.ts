import anyTest, { type TestFn } from 'ava';
import type { HttpEcho } from '../counterparts/agent/calls.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { countOfClusters } from './envoy-evidence.js';
import {
  createRoutedMesh,
  DB_VIP,
  NEXT,
  NEXT_VIP,
  type Options,
  type RoutedMesh,
  send,
  serverOf,
  TLS_HOST,
  TLS_VIP,
  virtualService,
  WEB,
  WEB_VIP,
} from './virtual-service-mesh.js';

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<RoutedMesh>;
const e2eTest = available === undefined ? test.skip : test.serial;

interface ConditionCase {
  /** Beside the path of the case. */
  readonly match: object;
  readonly matching?: Options & { readonly path?: string };
  readonly other?: Options & { readonly path?: string };
}

/** Requests that match go to next, all others to web. */
const CONDITIONS: Readonly<Record<string, ConditionCase>> = {
  'an exact path': {
    match: { uri: { exact: '/exact' } },
    matching: { path: '/exact' },
    other: { path: '/exact/more' },
  },
  'a path by expression': {
    match: { uri: { regex: '/pets/[0-9]+' } },
    matching: { path: '/pets/17' },
    other: { path: '/pets/x' },
  },
  'a path in any case': {
    match: { uri: { prefix: '/any-case' }, ignoreUriCase: true },
    matching: { path: '/ANY-case/1' },
    other: { path: '/any-cas' },
  },
  'a scheme': { match: { scheme: { exact: 'http' } }, matching: {} },
  'another scheme': { match: { scheme: { exact: 'https' } }, other: {} },
  'a method': { match: { method: { exact: 'POST' } }, matching: { method: 'POST' }, other: { method: 'PUT' } },
  'an authority': {
    match: { authority: { exact: 'web.default' } },
    matching: { host: 'web.default' },
    other: { host: 'web' },
  },
  'a header': {
    match: { headers: { 'x-user': { exact: 'jason' } } },
    matching: { headers: { 'x-user': 'jason' } },
    other: { headers: { 'x-user': 'jasper' } },
  },
  'any value of a header': {
    match: { headers: { 'x-user': {} } },
    matching: { headers: { 'x-user': 'anyone' } },
    other: {},
  },
  'no such header': {
    match: { withoutHeaders: { 'x-test': { prefix: '1' } } },
    matching: { headers: { 'x-test': '2' } },
    other: { headers: { 'x-test': '1' } },
  },
  'a query parameter': {
    match: { queryParams: { page: { regex: '[0-9]+' } } },
    matching: { path: '?page=12' },
    other: { path: '?page=last' },
  },
  'a port': { match: { port: 80 }, matching: {} },
  'another port': { match: { port: 8080 }, other: {} },
  'the labels of the caller': { match: { sourceLabels: { app: 'client' } }, matching: {} },
  'other labels than those of the caller': { match: { sourceLabels: { app: 'other' } }, other: {} },
  'the namespace of the caller': { match: { sourceNamespace: 'default' }, matching: {} },
  'another namespace than that of the caller': { match: { sourceNamespace: 'shop' }, other: {} },
  'all sidecars': { match: { gateways: ['mesh'] }, matching: {} },
  'a gateway': { match: { gateways: ['edge/public'] }, other: {} },
};

const pathOf = (title: string) => `/${title.replaceAll(' ', '-')}`;
const TO_WEB = [{ destination: { host: 'web' } }];
const TO_NEXT = [{ destination: { host: NEXT, port: { number: 80 } } }];
const toDb = [{ destination: { host: 'db-next', port: { number: 5432 } } }];
const at = (prefix: string, fields: object) => ({ match: [{ uri: { prefix } }], ...fields });

const ROUTES = [
  ...Object.entries(CONDITIONS).map(([title, { match }]) => ({
    match: [{ name: 'case', uri: { prefix: pathOf(title) }, ...match }],
    route: TO_NEXT,
  })),
  at('/split', {
    route: [
      { destination: { host: 'web' }, weight: 90 },
      { destination: { host: NEXT, port: { number: 80 } }, weight: 10 },
    ],
  }),
  at('/second-port', { route: [{ destination: { host: 'next', port: { number: 81 } } }] }),
  at('/subset', { route: [{ destination: { host: 'pool.example.com', subset: 'v2' } }] }),
  at('/no-subset', { route: [{ destination: { host: 'pool.example.com', subset: 'v3' } }] }),
  at('/nowhere', { route: [{ destination: { host: 'nowhere.example.com' } }] }),
  at('/moved', { redirect: { uri: '/new', authority: 'new.example.com', redirectCode: 308 } }),
  at('/plain-redirect', { redirect: { uri: '/new' } }),
  at('/v1/', { rewrite: { uri: '/', authority: 'inner.example.com' }, route: TO_WEB }),
  at('/timeout', { timeout: '200ms', retries: { attempts: 0 }, route: TO_WEB }),
  at('/retried', { retries: { attempts: 3, retryOn: '418' }, route: TO_WEB }),
  at('/not-retried', { retries: { attempts: 0 }, route: TO_WEB }),
  at('/tried-twice', { retries: { attempts: 1, perTryTimeout: '150ms', retryOn: '5xx' }, route: TO_WEB }),
  at('/delayed', { fault: { delay: { fixedDelay: '1s', percentage: { value: 100 } } }, route: TO_WEB }),
  at('/never-delayed', { fault: { delay: { fixedDelay: '30s', percentage: { value: 0 } } }, route: TO_WEB }),
  at('/old-delay', { fault: { delay: { fixedDelay: '30s', percent: 0 } }, route: TO_WEB }),
  at('/half-delayed', { fault: { delay: { fixedDelay: '10ms', percentage: { value: 50 } } }, route: TO_WEB }),
  at('/old-half-delayed', { fault: { delay: { fixedDelay: '10ms', percent: 50 } }, route: TO_WEB }),
  at('/half-aborted', { fault: { abort: { httpStatus: 418, percentage: { value: 50 } } }, route: TO_WEB }),
  at('/half-mirrored', {
    mirror: { host: 'next', port: { number: 81 } },
    mirrorPercentage: { value: 50 },
    route: TO_WEB,
  }),
  at('/old-half-mirrored', { mirror: { host: 'next', port: { number: 81 } }, mirrorPercent: 50, route: TO_WEB }),
  at('/aborted', { fault: { abort: { httpStatus: 418 } }, route: TO_WEB }),
  at('/never-aborted', { fault: { abort: { httpStatus: 418, percentage: { value: 0 } } }, route: TO_WEB }),
  at('/grpc-aborted', { fault: { abort: { grpcStatus: 'UNAVAILABLE' } }, route: TO_WEB }),
  at('/mirrored', { mirror: { host: 'next', port: { number: 81 } }, route: TO_WEB }),
  at('/not-mirrored', {
    mirror: { host: 'next', port: { number: 81 } },
    mirrorPercentage: { value: 0 },
    route: TO_WEB,
  }),
  at('/old-not-mirrored', { mirror: { host: 'next', port: { number: 81 } }, mirrorPercent: 0, route: TO_WEB }),
  at('/cors', {
    corsPolicy: {
      allowOrigins: [{ exact: 'https://shop.example.com' }, { regex: 'https://[a-z]+[.]example[.]org' }],
      allowMethods: ['GET', 'PUT'],
      allowHeaders: ['x-user'],
      exposeHeaders: ['x-trace'],
      maxAge: '10m',
      allowCredentials: true,
    },
    route: TO_WEB,
  }),
  at('/old-cors', { corsPolicy: { allowOrigin: ['https://old.example.com'], allowMethods: ['GET'] }, route: TO_WEB }),
  at('/headers', {
    headers: {
      request: { set: { 'x-set': 'route' }, add: { 'x-add': 'route' }, remove: ['x-secret'] },
      response: { set: { 'x-answer': 'route' }, add: { 'x-more': 'route' }, remove: ['content-type'] },
    },
    route: TO_WEB,
  }),
  at('/destination-headers', {
    route: [
      {
        destination: { host: 'web' },
        headers: { request: { set: { 'x-set': 'destination' } }, response: { set: { 'x-answer': 'destination' } } },
      },
    ],
  }),
  at('/team', { delegate: { name: 'team', namespace: 'teams' } }),
  { name: 'rest', route: TO_WEB },
];

const VIRTUAL_SERVICES = [
  virtualService('web', { hosts: ['web'], gateways: ['mesh', 'edge/public'], exportTo: ['*'], http: ROUTES }),
  virtualService('team', { http: [at('/team/next', { route: TO_NEXT })] }, 'teams'),
  virtualService('outside', { hosts: ['api.outside.example'], http: [{ route: TO_NEXT }] }),
  virtualService('elsewhere', { hosts: ['next'], exportTo: ['shop'], http: [{ redirect: { uri: '/never' } }] }),
  virtualService('db', {
    hosts: ['db'],
    tcp: [
      { match: [{ port: 5431, destinationSubnets: ['10.96.0.0/16'], sourceSubnet: '10.244.0.0/24' }], route: toDb },
      { match: [{ port: 5432, sourceSubnet: '10.200.0.0/16' }], route: toDb },
      {
        match: [{ port: 5433, sourceLabels: { app: 'client' }, sourceNamespace: 'default', gateways: ['mesh'] }],
        route: toDb,
      },
      {
        match: [
          { port: 5434, sourceLabels: { app: 'other' } },
          { port: 5434, sourceNamespace: 'shop' },
          { port: 5434, gateways: ['edge/public'] },
        ],
        route: toDb,
      },
      {
        match: [{ port: 5435 }],
        route: [
          { destination: { host: 'db', port: { number: 5435 } }, weight: 50 },
          { destination: { host: 'db-next' }, weight: 50 },
        ],
      },
    ],
  }),
  virtualService('tls', {
    hosts: ['*.tls.example.com'],
    tls: [
      {
        match: [{ sniHosts: ['moved.tls.example.com'], port: 443 }],
        route: [{ destination: { host: 'b.tls.example.com' }, weight: 100 }],
      },
      {
        match: [{ sniHosts: ['*.tls.example.com'], port: 444 }],
        route: [{ destination: { host: 'b.tls.example.com' } }],
      },
      {
        match: [{ sniHosts: ['far.tls.example.com'], destinationSubnets: ['10.99.0.0/16'] }],
        route: [{ destination: { host: 'b.tls.example.com' } }],
      },
      {
        match: [
          { sniHosts: ['other.tls.example.com'], sourceLabels: { app: 'other' } },
          { sniHosts: ['other.tls.example.com'], sourceNamespace: 'shop' },
          { sniHosts: ['other.tls.example.com'], gateways: ['edge/public'] },
        ],
        route: [{ destination: { host: 'b.tls.example.com' } }],
      },
    ],
  }),
];

test.before(async (t) => {
  if (available !== undefined) t.context = await createRoutedMesh(available, VIRTUAL_SERVICES);
});

test.afterEach.always('no sidecar rejected anything', async (t) => {
  await t.context.mesh?.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

for (const [title, { matching, other }] of Object.entries(CONDITIONS)) {
  e2eTest(`a route applies by ${title}`, async (t) => {
    const requestTo = async ({ path = '', ...options }: Options & { path?: string }) =>
      serverOf(t.context, path.startsWith('/') ? path : `${pathOf(title)}${path}`, options);
    if (matching !== undefined) t.is(await requestTo(matching), 'second');
    if (other !== undefined) t.is(await requestTo(other), 'first');
  });
}

e2eTest('requests are split by the weights of destinations', async (t) => {
  const requests = Array.from({ length: 2000 }, () => ({ url: `http://${WEB_VIP}/split`, headers: { host: 'web' } }));
  const answers = await t.context.client.agent.call('requestMany', { requests, concurrency: 20 });
  const second = answers.filter(({ headers }) => headers['x-served-by'] === 'second').length;
  t.true(answers.every(({ status }) => status === 200));
  // Six standard deviations, of 13.4 each.
  t.true(Math.abs(second - 200) < 81, `${second} of 2000`);
});

e2eTest('a destination has the port that its route names', async (t) => {
  t.is(await serverOf(t.context, '/second-port'), 'second-81');
});

e2eTest('a destination is a subset of a service', async (t) => {
  for (let sent = 0; sent < 5; sent++) t.is(await serverOf(t.context, '/subset'), 'second');
});

e2eTest('a destination that does not exist answers 503', async (t) => {
  t.is(await serverOf(t.context, '/nowhere'), '503');
  t.is(await serverOf(t.context, '/no-subset'), '503');
});

e2eTest('a redirect changes the path, the host and the status', async (t) => {
  const moved = await send(t.context, '/moved');
  t.is(moved.status, 308);
  t.is(moved.headers['location'], 'http://new.example.com/new');
  const plain = await send(t.context, '/plain-redirect');
  t.is(plain.status, 301);
  t.is(plain.headers['location'], 'http://web/new');
});

async function echoOf(context: RoutedMesh, path: string, options?: Options): Promise<HttpEcho> {
  const { status, body } = await send(context, path, options);
  if (status !== 200) throw new Error(`answered ${status}`);
  return JSON.parse(body) as HttpEcho;
}

e2eTest('a rewrite changes the path and the host', async (t) => {
  const echo = await echoOf(t.context, '/v1/books');
  t.is(echo.path, '/books');
  t.is(echo.headers['host'], 'inner.example.com');
});

e2eTest('a request that takes longer than the timeout is answered with 504', async (t) => {
  t.is((await send(t.context, '/timeout', { headers: { 'x-echo-hold': '1' } })).status, 504);
  // A server that gets no processor time does not answer each request in so short a time.
  await eventually('a faster request is answered', async () => (await serverOf(t.context, '/timeout')) === 'first');
});

/** Requests that reached a cluster during an action. */
async function arrivals({ client }: RoutedMesh, cluster: string, act: () => Promise<unknown>): Promise<number> {
  const before = await countOfClusters(client.envoy, cluster, 'upstream_rq_total');
  await act();
  return (await countOfClusters(client.envoy, cluster, 'upstream_rq_total')) - before;
}

const WEB_CLUSTER = `outbound|80||${WEB}`;
const MIRROR_CLUSTER = `outbound|81||${NEXT}`;

e2eTest('a request is retried as often as its route says, on the status that it names', async (t) => {
  const teapot = { headers: { 'x-echo-status': '418' } };
  t.is(await arrivals(t.context, WEB_CLUSTER, () => send(t.context, '/retried', teapot)), 4);
  t.is(await arrivals(t.context, WEB_CLUSTER, () => send(t.context, '/retried')), 1);
});

e2eTest('no attempts are no retries', async (t) => {
  const busy = { headers: { 'x-echo-status': '503' } };
  t.is(await arrivals(t.context, WEB_CLUSTER, () => send(t.context, '/not-retried', busy)), 1);
  t.is(await arrivals(t.context, WEB_CLUSTER, () => send(t.context, '/other', busy)), 3);
});

e2eTest('each attempt has its own timeout', async (t) => {
  const held = { headers: { 'x-echo-hold': '1' } };
  t.is(await arrivals(t.context, WEB_CLUSTER, () => send(t.context, '/tried-twice', held)), 2);
});

async function millisecondsOf(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** Sends many requests to a path. */
async function sendMany({ client }: RoutedMesh, path: string) {
  const requests = Array.from({ length: SENT }, () => ({ url: `http://${WEB_VIP}${path}`, headers: { host: 'web' } }));
  return await client.agent.call('requestMany', { requests, concurrency: 20 });
}

const SENT = 400;
/** Whether a random half of the requests is this number: within six standard deviations, of 10 each. */
const isHalf = (number: number): boolean => Math.abs(number - SENT / 2) <= 60;

async function delaysOf({ client }: RoutedMesh): Promise<number> {
  const stats = await client.envoy.stats();
  const counts = [...stats].filter(([name]) => name.endsWith('fault.delays_injected'));
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

for (const [title, path] of [
  ['a delay holds half of the requests', '/half-delayed'],
  ['the deprecated percent of a delay is half of the requests', '/old-half-delayed'],
] as const) {
  e2eTest(title, async (t) => {
    const before = await delaysOf(t.context);
    const answers = await sendMany(t.context, path);
    t.true(answers.every(({ status }) => status === 200));
    const delayed = (await delaysOf(t.context)) - before;
    t.true(isHalf(delayed), `${delayed} of ${SENT}`);
  });
}

e2eTest('an abort answers half of the requests', async (t) => {
  const answers = await sendMany(t.context, '/half-aborted');
  const aborted = answers.filter(({ status }) => status === 418).length;
  t.true(answers.every(({ status }) => status === 418 || status === 200));
  t.true(isHalf(aborted), `${aborted} of ${SENT}`);
});

/** Waits until each copy for the mirror is counted and answered. */
async function untilCopiesAreAnswered({ client }: RoutedMesh): Promise<void> {
  const countOf = (name: string) => countOfClusters(client.envoy, MIRROR_CLUSTER, name);
  await eventually('no copy is on its way', async () => {
    return (await countOf('upstream_rq_pending_active')) + (await countOf('upstream_rq_active')) === 0;
  });
}

for (const path of ['/half-mirrored', '/old-half-mirrored']) {
  e2eTest(`a mirror gets half of the requests to ${path}`, async (t) => {
    const countOf = (name: string) => countOfClusters(t.context.client.envoy, MIRROR_CLUSTER, name);
    const before = await countOf('upstream_rq_total');
    const answers = await sendMany(t.context, path);
    t.true(answers.every(({ status }) => status === 200));
    await untilCopiesAreAnswered(t.context);
    const copies = (await countOf('upstream_rq_total')) - before;
    t.true(isHalf(copies), `${copies} of ${SENT}`);
  });
}

e2eTest('a delay holds a share of the requests', async (t) => {
  t.true((await millisecondsOf(() => send(t.context, '/delayed'))) >= 990);
  t.is(await serverOf(t.context, '/never-delayed', { timeoutMs: 20_000 }), 'first');
});

e2eTest('the deprecated percent of a delay is its share', async (t) => {
  t.is(await serverOf(t.context, '/old-delay', { timeoutMs: 20_000 }), 'first');
});

e2eTest('an abort answers a share of the requests', async (t) => {
  t.is((await send(t.context, '/aborted')).status, 418);
  t.is(await serverOf(t.context, '/never-aborted'), 'first');
});

e2eTest('an abort answers with a gRPC status', async (t) => {
  const headers = { 'content-type': 'application/grpc' };
  const answer = await send(t.context, '/grpc-aborted', { method: 'POST', headers });
  t.is(answer.headers['grpc-status'], '14');
});

e2eTest('a mirror gets a copy of a request, whose response is dropped', async (t) => {
  const before = await countOfClusters(t.context.client.envoy, MIRROR_CLUSTER, 'upstream_rq_total');
  t.is(await serverOf(t.context, '/mirrored'), 'first');
  await eventually('the copy arrives', async () => {
    return (await countOfClusters(t.context.client.envoy, MIRROR_CLUSTER, 'upstream_rq_total')) === before + 1;
  });
});

e2eTest('a mirror gets only its share of the requests', async (t) => {
  // The answer to a copy of another test would be taken for one of this test.
  await untilCopiesAreAnswered(t.context);
  const both = async () => {
    for (const path of ['/not-mirrored', '/old-not-mirrored']) t.is(await serverOf(t.context, path), 'first');
    // A copy of this one follows any copy of those.
    const before = await countOfClusters(t.context.client.envoy, MIRROR_CLUSTER, 'upstream_rq_completed');
    await serverOf(t.context, '/mirrored');
    await eventually('the copy is answered', async () => {
      return (await countOfClusters(t.context.client.envoy, MIRROR_CLUSTER, 'upstream_rq_completed')) > before;
    });
  };
  t.is(await arrivals(t.context, MIRROR_CLUSTER, both), 1);
});

const preflight = (origin: string): Options => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'PUT' },
});

e2eTest('a preflight of an allowed origin is answered by the proxy', async (t) => {
  for (const origin of ['https://shop.example.com', 'https://other.example.org']) {
    const { status, headers } = await send(t.context, '/cors', preflight(origin));
    t.is(status, 200);
    t.is(headers['access-control-allow-origin'], origin);
    t.is(headers['access-control-allow-methods'], 'GET,PUT');
    t.is(headers['access-control-allow-headers'], 'x-user');
    t.is(headers['access-control-max-age'], '600');
    t.is(headers['access-control-allow-credentials'], 'true');
  }
  const actual = await send(t.context, '/cors', { headers: { origin: 'https://shop.example.com' } });
  t.is(actual.headers['access-control-expose-headers'], 'x-trace');
  const foreign = await send(t.context, '/cors', preflight('https://evil.example.com'));
  t.is(foreign.headers['access-control-allow-origin'], undefined);
});

e2eTest('the deprecated list of origins is a list of whole texts', async (t) => {
  const { headers } = await send(t.context, '/old-cors', preflight('https://old.example.com'));
  t.is(headers['access-control-allow-origin'], 'https://old.example.com');
});

e2eTest('headers of requests and responses are set, added and removed', async (t) => {
  const sent = { headers: { 'x-set': 'caller', 'x-add': 'caller', 'x-secret': '1' } };
  const answer = await send(t.context, '/headers', sent);
  const { headers } = JSON.parse(answer.body) as HttpEcho;
  t.is(headers['x-set'], 'route');
  t.is(headers['x-add'], 'caller, route');
  t.is(headers['x-secret'], undefined);
  t.is(answer.headers['x-answer'], 'route');
  t.is(answer.headers['x-more'], 'route');
  t.is(answer.headers['content-type'], undefined);
});

e2eTest('a destination changes headers too', async (t) => {
  const answer = await send(t.context, '/destination-headers');
  t.is((JSON.parse(answer.body) as HttpEcho).headers['x-set'], 'destination');
  t.is(answer.headers['x-answer'], 'destination');
});

e2eTest('the routes of a delegate take the place of the route that names it', async (t) => {
  t.is(await serverOf(t.context, '/team/next'), 'second');
  t.is(await serverOf(t.context, '/team/other'), 'first');
});

e2eTest('a host of no service has routes', async (t) => {
  t.is(await serverOf(t.context, '/', { host: 'api.outside.example' }), 'second');
});

e2eTest('an object has no effect in namespaces that it is not exported to', async (t) => {
  t.is(await serverOf(t.context, '/', { host: 'next', at: `${NEXT_VIP}:80` }), 'second');
});

async function database({ client }: RoutedMesh, port: number): Promise<string> {
  const answer = await client.agent.call('exchangeTcp', { address: DB_VIP, port, send: 'hello\n', until: 'hello' });
  return answer.includes('second') ? 'second' : 'first';
}

e2eTest('connections are routed by address and port', async (t) => {
  t.is(await database(t.context, 5431), 'second');
  t.is(await database(t.context, 5432), 'first');
});

e2eTest('connections are routed by labels and namespace of the caller', async (t) => {
  t.is(await database(t.context, 5433), 'second');
  t.is(await database(t.context, 5434), 'first');
});

e2eTest('connections are split by the weights of destinations', async (t) => {
  const reached = new Set<string>();
  await eventually('both destinations are reached', async () => {
    reached.add(await database(t.context, 5435));
    return reached.size === 2;
  });
  t.pass();
});

async function certificateFor({ client }: RoutedMesh, serverName: string): Promise<string> {
  const exchange = { address: TLS_VIP, port: 443, serverName, applicationProtocols: ['echo'], send: 'hi', until: 'hi' };
  return (await client.agent.call('exchangeTls', exchange)).serverNames;
}

e2eTest('TLS connections are routed by their server name', async (t) => {
  t.is(await certificateFor(t.context, TLS_HOST), 'DNS:first.example.com');
  t.is(await certificateFor(t.context, 'moved.tls.example.com'), 'DNS:second.example.com');
});

e2eTest('TLS connections are routed by address, port and caller', async (t) => {
  t.is(await certificateFor(t.context, 'far.tls.example.com'), 'DNS:first.example.com');
  t.is(await certificateFor(t.context, 'other.tls.example.com'), 'DNS:first.example.com');
});

e2eTest('a removed object has no effect any more', async (t) => {
  const { configFolder } = t.context.mesh.discovery;
  await configFolder.write('virtual-services.yaml', VIRTUAL_SERVICES.slice(1));
  await eventually('requests go to the service', async () => (await serverOf(t.context, '/second-port')) === 'first');
  t.is((await send(t.context, '/aborted')).status, 200);
});
