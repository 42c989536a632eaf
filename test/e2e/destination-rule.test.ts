import anyTest, { type TestFn } from 'ava';
import type { HttpRequest } from '../counterparts/agent/calls.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import {
  clusterOf,
  createRuleMesh,
  KEPT,
  POOL,
  POOL_VIP,
  type RuleMesh,
  rule,
  SERVERS,
  TLS,
  TLS_VIP,
  WEB_HOST,
  withRules,
} from './destination-rule-mesh.js';

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<RuleMesh>;
const e2eTest = available === undefined ? test.skip : test.serial;

test.before(async (t) => {
  if (available !== undefined) t.context = await createRuleMesh(available);
});

test.afterEach.always('no sidecar rejected anything', async (t) => {
  await t.context.secured?.mesh.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

type Options = Partial<Omit<HttpRequest, 'url'>> & { readonly at?: string; readonly host?: string };

/** A request to the pool. */
function send({ client }: RuleMesh, { at = `http://${POOL_VIP}/`, host = POOL, headers, ...options }: Options = {}) {
  return client.agent.request(at, { ...options, headers: { host, ...headers } });
}

/** Names of the servers that answered so many requests, one after the other. */
async function servers(context: RuleMesh, count: number, options: Options = {}): Promise<readonly string[]> {
  const names: string[] = [];
  for (let sent = 0; sent < count; sent++) {
    const { status, headers } = await send(context, options);
    if (status !== 200) throw new Error(`answered ${status}`);
    names.push(String(headers['x-served-by']));
  }
  return names;
}

const [ONE, TWO, THREE] = SERVERS.map(({ name }) => name);
const CLUSTER = `outbound|80||${POOL}`;
const policy = (trafficPolicy: object) => [rule(POOL, { trafficPolicy })];

/** A statistic of the cluster. */
const count = (context: RuleMesh, name: string) => sum(context, CLUSTER, name);

e2eTest('ROUND_ROBIN gives each endpoint its turn', async (t) => {
  const turns = SERVERS.length;
  await withRules(t.context, CLUSTER, policy({ loadBalancer: { simple: 'ROUND_ROBIN' } }), async () => {
    await eventually('the order repeats', async () => {
      const names = await servers(t.context, 3 * turns);
      return names.every((name, at) => name === names[at % turns]);
    });
    t.is(new Set(await servers(t.context, turns)).size, turns);
  });
});

for (const [simple, lbPolicy] of [
  ['RANDOM', 'RANDOM'],
  ['LEAST_CONN', 'LEAST_REQUEST'],
] as const) {
  e2eTest(`${simple} is Envoy's ${lbPolicy}, and all endpoints get requests`, async (t) => {
    const rules = [
      rule(POOL, { trafficPolicy: { loadBalancer: { simple }, connectionPool: { tcp: { maxConnections: 99 } } } }),
    ];
    await withRules(t.context, CLUSTER, rules, async (cluster) => {
      t.is(cluster['lb_policy'], lbPolicy);
      await eventually(
        'all endpoints are in use',
        async () => new Set(await servers(t.context, 12)).size === SERVERS.length,
      );
    });
  });
}

e2eTest('PASSTHROUGH keeps the address that the application connected to', async (t) => {
  const [one, , three] = SERVERS;
  const options = { at: `http://${three.address}:${three.port}/`, host: KEPT };
  t.deepEqual(await servers(t.context, 2, options), [one.name, one.name]);
  const rules = [rule(KEPT, { trafficPolicy: { loadBalancer: { simple: 'PASSTHROUGH' } } })];
  await withRules(t.context, `outbound|${three.port}||${KEPT}`, rules, async () => {
    await eventually('the third server answers', async () => (await servers(t.context, 1, options))[0] === three.name);
  });
});

interface HashCase {
  readonly hash: object;
  readonly requestOf: (key: string) => Options;
}

const HASHES: Readonly<Record<string, HashCase>> = {
  'a header': { hash: { httpHeaderName: 'x-user' }, requestOf: (key) => ({ headers: { 'x-user': key } }) },
  'a cookie': {
    hash: { httpCookie: { name: 'user', ttl: '0s' } },
    requestOf: (key) => ({ headers: { cookie: `user=${key}` } }),
  },
  'a query parameter': {
    hash: { httpQueryParameterName: 'user' },
    requestOf: (key) => ({ at: `http://${POOL_VIP}/?user=${key}` }),
  },
};

for (const [what, { hash, requestOf }] of Object.entries(HASHES)) {
  e2eTest(`requests with the same value of ${what} go to the same endpoint`, async (t) => {
    const rules = policy({ loadBalancer: { consistentHash: { ...hash, minimumRingSize: 2048 } } });
    await withRules(t.context, CLUSTER, rules, async () => {
      const keys = Array.from({ length: 12 }, (_, at) => `user-${at}`);
      const chosen = await eventually('each value has one endpoint', async () => {
        const lists = await Promise.all(keys.map((key) => servers(t.context, 5, requestOf(key))));
        return lists.every((list) => new Set(list).size === 1) && lists.map(([first]) => first);
      });
      t.true(new Set(chosen).size > 1, 'different values go to different endpoints');
      t.true((await count(t.context, 'ring_hash_lb.size')) >= 2048);
    });
  });
}

e2eTest('the proxy sets the cookie of a hash with its path and lifetime', async (t) => {
  const httpCookie = { name: 'session', path: '/shop', ttl: '60s' };
  await withRules(t.context, CLUSTER, policy({ loadBalancer: { consistentHash: { httpCookie } } }), async () => {
    const cookie = await eventually('the cookie is set', async () => {
      const { headers } = await send(t.context);
      return String(headers['set-cookie'] ?? '') || undefined;
    });
    t.regex(cookie, /^session="?[0-9a-f]+"?;.*Max-Age=60;.*Path=\/shop/);
  });
});

e2eTest('all requests of one caller go to the same endpoint', async (t) => {
  await withRules(t.context, CLUSTER, policy({ loadBalancer: { consistentHash: { useSourceIp: true } } }), async () => {
    await eventually('one endpoint gets all', async () => new Set(await servers(t.context, 12)).size === 1);
    t.true((await count(t.context, 'ring_hash_lb.size')) >= 1024);
  });
});

e2eTest('a request beyond the connections and the queue is answered with 503', async (t) => {
  const { client, secured } = t.context;
  const connectionPool = { tcp: { maxConnections: 1 }, http: { http1MaxPendingRequests: 1 } };
  const [one] = SERVERS;
  const rules = [rule(POOL, { trafficPolicy: { connectionPool, loadBalancer: toServerOne } })];
  await withRules(t.context, CLUSTER, rules, async () => {
    await eventually('the first server gets all', async () => new Set(await servers(t.context, 6)).size === 1);
    const before = await count(t.context, 'upstream_rq_pending_overflow');
    const held = Array.from({ length: 4 }, () => send(t.context, { headers: { 'x-echo-hold': '1' } }));
    await eventually('two requests exceed the limits', async () => {
      return (await count(t.context, 'upstream_rq_pending_overflow')) === before + 2;
    });
    t.is(await count(t.context, 'upstream_cx_active'), 1);
    // The second request reaches the server only when the first has been answered.
    const releasing = eventually('all are answered', async () => {
      await secured.mesh.rig.routerAgent.request(`http://${one.address}:${one.port}/release`);
      return (await count(t.context, 'upstream_rq_active')) === 0;
    });
    const statuses = (await Promise.all(held)).map(({ status }) => status);
    await releasing;
    t.deepEqual(statuses.toSorted(), [200, 200, 503, 503]);
    t.true((await client.envoy.admin('/clusters')).includes(`${CLUSTER}::default_priority::max_pending_requests::1`));
  });
});

/** All requests of the client, by locality. */
const toServerOne = { localityLbSetting: { distribute: [{ from: 'north/*', to: { 'north/a': 100 } }] } };

e2eTest('requests beyond http2MaxRequests at the same time are answered with 503', async (t) => {
  const [one] = SERVERS;
  const rules = policy({ connectionPool: { http: { http2MaxRequests: 1 } }, loadBalancer: toServerOne });
  await withRules(t.context, CLUSTER, rules, async () => {
    await eventually('the first server gets all', async () => new Set(await servers(t.context, 6)).size === 1);
    const held = send(t.context, { headers: { 'x-echo-hold': '1' } });
    await eventually('one request is active', async () => (await count(t.context, 'upstream_rq_active')) === 1);
    t.is((await send(t.context)).status, 503);
    await t.context.secured.mesh.rig.routerAgent.request(`http://${one.address}:${one.port}/release`);
    t.is((await held).status, 200);
  });
});

e2eTest('a connection is closed after maxRequestsPerConnection, and when it is idle', async (t) => {
  const http = { maxRequestsPerConnection: 1 };
  await withRules(t.context, CLUSTER, policy({ connectionPool: { http } }), async () => {
    await eventually('each request has a connection of its own', async () => {
      const before = await count(t.context, 'upstream_cx_total');
      await servers(t.context, 4);
      return (await count(t.context, 'upstream_cx_total')) - before === 4;
    });
    t.true((await count(t.context, 'upstream_cx_max_requests')) >= 4);
  });
  await withRules(t.context, CLUSTER, policy({ connectionPool: { http: { idleTimeout: '50ms' } } }), async () => {
    await servers(t.context, 1);
    await eventually('idle connections are closed', async () => {
      return (
        (await count(t.context, 'upstream_cx_idle_timeout')) > 0 && (await count(t.context, 'upstream_cx_active')) === 0
      );
    });
  });
});

e2eTest('limits and keepalive are those of the rule', async (t) => {
  const connectionPool = {
    tcp: { connectTimeout: '250ms', tcpKeepalive: { probes: 3, time: '7200s', interval: '75s' } },
    http: { maxRetries: 4 },
  };
  await withRules(t.context, CLUSTER, policy({ connectionPool }), async (cluster) => {
    t.is(cluster['connect_timeout'], '0.250s');
    t.deepEqual(cluster['upstream_connection_options'], {
      tcp_keepalive: { keepalive_probes: 3, keepalive_time: 7200, keepalive_interval: 75 },
    });
    await servers(t.context, 3);
    t.true((await t.context.client.envoy.admin('/clusters')).includes(`${CLUSTER}::default_priority::max_retries::4`));
  });
});

e2eTest('an endpoint that falls silent is given up by connectTimeout and tcpKeepalive', async (t) => {
  const [one] = SERVERS;
  const tcp = { connectTimeout: '250ms', tcpKeepalive: { probes: 1, time: '1s', interval: '1s' } };
  const rules = policy({ connectionPool: { tcp }, loadBalancer: toServerOne });
  await withRules(t.context, CLUSTER, rules, async () => {
    await eventually('the first server gets all', async () => new Set(await servers(t.context, 6)).size === 1);
    const held = send(t.context, { headers: { 'x-echo-hold': '1' } });
    await eventually('one request is active', async () => (await count(t.context, 'upstream_rq_active')) === 1);
    const restore = await t.context.secured.mesh.rig.network.silence(one.address);
    try {
      // Without keepalive the request waits until the caller gives up, and a connection takes 10 seconds by default.
      t.is((await held).status, 503);
      const { status, body } = await send(t.context, { timeoutMs: 9_000 });
      t.is(status, 503);
      t.regex(body, /connection timeout/);
    } finally {
      await restore();
    }
  });
});

e2eTest('requests beyond maxRetries are not retried at the same time', async (t) => {
  const overflows = () => count(t.context, 'upstream_rq_retry_overflow');
  const failing = { headers: { 'x-echo-status': '503' } };
  const failAtOnce = () => Promise.all(Array.from({ length: 30 }, () => send(t.context, failing)));
  const before = await overflows();
  await failAtOnce();
  t.is(await overflows(), before);
  await withRules(t.context, CLUSTER, policy({ connectionPool: { http: { maxRetries: 1 } } }), async () => {
    await eventually('some requests are not retried', async () => {
      await failAtOnce();
      return (await overflows()) > before;
    });
  });
});

e2eTest('with retryRemoteLocalities, a retry leaves the locality that failed', async (t) => {
  const { rig } = t.context.secured.mesh;
  const [one] = SERVERS;
  const route = (retryRemoteLocalities: boolean) => ({
    match: [{ uri: { prefix: retryRemoteLocalities ? '/far' : '/near' } }],
    retries: { attempts: 1, retryOn: 'connect-failure', retryRemoteLocalities },
    route: [{ destination: { host: POOL } }],
  });
  const routes = {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'VirtualService',
    metadata: { name: 'retried', namespace: 'default' },
    spec: { hosts: [POOL], http: [route(true), route(false)] },
  };
  // No endpoint is ejected, so that the near one is tried first.
  const outlierDetection = { consecutive5xxErrors: 10_000, consecutiveGatewayErrors: 10_000 };
  const at = (path: string) => ({ at: `http://${POOL_VIP}${path}` });
  await withRules(t.context, CLUSTER, [...policy({ outlierDetection }), routes], async () => {
    await eventually('the near endpoint gets all', async () => {
      return (await servers(t.context, 6, at('/near'))).every((name) => name === ONE);
    });
    await rig.routerAgent.call('stopServing', one.port);
    try {
      await eventually(
        'a retry reaches another locality',
        async () => (await send(t.context, at('/far'))).status === 200,
      );
      for (let sent = 0; sent < 3; sent++) {
        const { headers } = await send(t.context, at('/far'));
        t.is(headers['x-served-by'], TWO);
        t.is((await send(t.context, at('/near'))).status, 503);
      }
    } finally {
      await rig.routerAgent.call('serveHttp', { name: one.name, port: one.port, address: one.address });
    }
  });
});

e2eTest('h2UpgradePolicy decides whether requests travel as HTTP/2', async (t) => {
  const web = `outbound|80||${WEB_HOST}`;
  for (const [h2UpgradePolicy, version] of [
    ['UPGRADE', 'http2'],
    ['DO_NOT_UPGRADE', 'http1'],
    ['DEFAULT', 'http1'],
  ]) {
    const connectionPool = { http: { h2UpgradePolicy, idleTimeout: '3600s' } };
    await withRules(t.context, web, [rule(WEB_HOST, { trafficPolicy: { connectionPool } })], async () => {
      const before = await sum(t.context, web, `upstream_cx_${version}_total`);
      await eventually(`${h2UpgradePolicy} opens a connection of ${version}`, async () => {
        t.is((await send(t.context, { at: 'http://10.96.0.10/', host: WEB_HOST })).status, 200);
        return (await sum(t.context, web, `upstream_cx_${version}_total`)) > before;
      });
    });
  }
});

async function sum({ client }: RuleMesh, cluster: string, name: string): Promise<number> {
  const stats = await client.envoy.stats();
  return stats.get(`cluster.${cluster}.${name}`) ?? stats.get(`cluster.${cluster};.${name}`) ?? 0;
}

for (const [field, limit] of [
  ['consecutiveGatewayErrors', { consecutiveGatewayErrors: 2, consecutive5xxErrors: 0 }],
  ['consecutive5xxErrors', { consecutive5xxErrors: 2 }],
  ['consecutiveErrors', { consecutiveErrors: 2, consecutive5xxErrors: 0 }],
] as const) {
  e2eTest(`an endpoint is ejected after so many ${field}, and returns`, async (t) => {
    const outlierDetection = {
      ...limit,
      interval: '100ms',
      baseEjectionTime: '1s',
      maxEjectionPercent: 100,
      minHealthPercent: 0,
    };
    const rules = policy({ outlierDetection, loadBalancer: toServerOne });
    await withRules(t.context, CLUSTER, rules, async () => {
      await eventually('the first server gets all', async () => new Set(await servers(t.context, 6)).size === 1);
      const kind = field === 'consecutive5xxErrors' ? '5xx' : 'gateway_failure';
      const name = `outlier_detection.ejections_enforced_consecutive_${kind}`;
      const before = await count(t.context, name);
      const headers = { 'x-echo-status': '502' };
      for (let sent = 0; sent < 2; sent++) t.is((await send(t.context, { headers })).status, 502);
      await eventually('the endpoint is ejected', async () => (await count(t.context, name)) === before + 1);
      await eventually('the endpoint is back', async () => (await send(t.context)).status === 200);
    });
  });
}

e2eTest('requests go to ejected endpoints while fewer than minHealthPercent are healthy', async (t) => {
  const outlierDetection = {
    consecutive5xxErrors: 1,
    interval: '100ms',
    baseEjectionTime: '600s',
    maxEjectionPercent: 100,
    minHealthPercent: 50,
  };
  await withRules(t.context, CLUSTER, policy({ outlierDetection, loadBalancer: toServerOne }), async (cluster) => {
    await eventually('the first server gets all', async () => new Set(await servers(t.context, 6)).size === 1);
    t.is((await send(t.context, { headers: { 'x-echo-status': '500' } })).status, 500);
    await eventually(
      'the endpoint is ejected',
      async () => (await count(t.context, 'outlier_detection.ejections_active')) === 1,
    );
    t.is((await send(t.context)).status, 200);
    t.deepEqual((cluster['outlier_detection'] as { base_ejection_time: string }).base_ejection_time, '600s');
  });
});

e2eTest('callers prefer near endpoints, and the region that failover names, when nearer ones fail', async (t) => {
  const { routerAgent } = t.context.secured.mesh.rig;
  const outlierDetection = {
    consecutive5xxErrors: 1,
    interval: '100ms',
    baseEjectionTime: '600s',
    maxEjectionPercent: 100,
  };
  const localityLbSetting = { failover: [{ from: 'north', to: 'south' }] };
  const near = (name: string | undefined) => async () => {
    const names = await servers(t.context, 6);
    return names.every((each) => each === name);
  };
  await withRules(t.context, CLUSTER, policy({ outlierDetection, loadBalancer: { localityLbSetting } }), async () => {
    await eventually('the endpoint in the zone gets all', near(ONE));
    await routerAgent.call('stopServing', SERVERS[0].port);
    await eventually('the endpoint in the region gets all', near(TWO));
    await routerAgent.call('stopServing', SERVERS[1].port);
    await eventually('the endpoint in the region of failover gets all', near(THREE));
    t.deepEqual(await servers(t.context, 3), [THREE, THREE, THREE]);
  });
  for (const { name, address, port } of SERVERS.slice(0, 2)) {
    await routerAgent.call('serveHttp', { name, port, address });
  }
});

e2eTest('distribute spreads the requests of a locality, and enabled turns localities off', async (t) => {
  const spread = (localityLbSetting: object) => policy({ loadBalancer: { localityLbSetting }, outlierDetection: {} });
  const to = { 'north/*': 0, 'south/c': 100 };
  await withRules(t.context, CLUSTER, spread({ distribute: [{ from: 'north/a', to }] }), async () => {
    await eventually('the far endpoint gets all', async () => {
      return (await servers(t.context, 6)).every((name) => name === THREE);
    });
    t.deepEqual(await servers(t.context, 3), [THREE, THREE, THREE]);
  });
  await withRules(t.context, CLUSTER, spread({ enabled: false }), async () => {
    await eventually(
      'all endpoints are in use',
      async () => new Set(await servers(t.context, 12)).size === SERVERS.length,
    );
  });
});

e2eTest('each subset has a cluster with its own endpoints and policy', async (t) => {
  const subsets = [
    { name: 'first', labels: { version: 'v1' } },
    { name: 'second', labels: { version: 'v2' }, trafficPolicy: { loadBalancer: { simple: 'RANDOM' } } },
  ];
  const rules = [rule(POOL, { trafficPolicy: { loadBalancer: { simple: 'ROUND_ROBIN' } }, subsets })];
  const name = (subset: string) => `outbound|80|${subset}|${POOL}`;
  await withRules(t.context, name('first'), rules, async (cluster) => {
    t.is(cluster['lb_policy'] ?? 'ROUND_ROBIN', 'ROUND_ROBIN');
    const second = await eventually('the second subset has a cluster', () => clusterOf(t.context, name('second')));
    t.is(second['lb_policy'], 'RANDOM');
    const endpointsOf = (subset: string, lines: readonly string[]) =>
      SERVERS.filter(({ address }) => lines.some((line) => line.startsWith(`${name(subset)}::${address}:`)));
    await eventually('each subset has its endpoints', async () => {
      const lines = (await t.context.client.envoy.admin('/clusters')).split('\n');
      const [first, others] = ['first', 'second'].map((subset) => endpointsOf(subset, lines).map((each) => each.name));
      return String(first) === ONE && String(others) === `${TWO},${THREE}`;
    });
  });
});

e2eTest('the settings of a port replace those of the rule', async (t) => {
  const portLevelSettings = [
    {
      port: { number: 81 },
      loadBalancer: { simple: 'RANDOM' },
      connectionPool: { tcp: { maxConnections: 7 } },
      outlierDetection: { interval: '3s' },
      tls: { mode: 'DISABLE' },
    },
  ];
  const rules = policy({ connectionPool: { tcp: { connectTimeout: '1s' } }, portLevelSettings });
  await withRules(t.context, `outbound|81||${POOL}`, rules, async (cluster) => {
    t.like(cluster, { lb_policy: 'RANDOM', connect_timeout: '10s', outlier_detection: { interval: '3s' } });
    t.is(cluster['transport_socket_matches'], undefined);
    await eventually('the other port has the policy of the rule', async () => {
      return (await clusterOf(t.context, CLUSTER))?.['connect_timeout'] === '1s';
    });
  });
});

/** The answer to a connection, or why there is none. */
async function exchange({ client }: RuleMesh, port: number): Promise<string> {
  const options = { address: TLS_VIP, port, send: 'hello', until: 'hello' };
  return await client.agent.call('exchangeTcp', options).catch((error: Error) => `failed: ${error.message}`);
}

const withTls = (tls: object) => [rule(TLS, { trafficPolicy: { tls } })];
const TLS_CLUSTER = `outbound|443||${TLS}`;

/** Waits until connections get this answer. */
const answers = (context: RuleMesh, port: number, expected: string) =>
  eventually(`port ${port} answers ${expected}`, async () => (await exchange(context, port)) === expected);

/** Waits until connections fail, and Envoy counts the reason. */
const fails = (context: RuleMesh, port: number, reason: string) =>
  eventually(`connections to port ${port} fail`, async () => {
    const isFailed = (await exchange(context, port)).startsWith('failed');
    return isFailed && (await sum(context, `outbound|${port}||${TLS}`, reason)) > 0;
  });

e2eTest('SIMPLE connects over TLS with the server name, and verifies roots and names', async (t) => {
  const { files } = t.context;
  const simple = { mode: 'SIMPLE', caCertificates: files.roots };
  await withRules(t.context, TLS_CLUSTER, withTls({ ...simple, sni: TLS, subjectAltNames: [TLS] }), async () => {
    await t.notThrowsAsync(answers(t.context, 443, `tls sni=${TLS} client=: hello`));
  });
  await withRules(t.context, TLS_CLUSTER, withTls({ mode: 'SIMPLE' }), async () => {
    await t.notThrowsAsync(answers(t.context, 443, 'tls sni= client=: hello'));
  });
  await withRules(t.context, TLS_CLUSTER, withTls({ ...simple, subjectAltNames: ['other.example.com'] }), async () => {
    await t.notThrowsAsync(fails(t.context, 443, 'ssl.fail_verify_san'));
  });
  await withRules(t.context, TLS_CLUSTER, withTls({ mode: 'SIMPLE', caCertificates: files.otherRoots }), async () => {
    await t.notThrowsAsync(fails(t.context, 443, 'ssl.fail_verify_error'));
  });
});

e2eTest('MUTUAL presents the client certificate', async (t) => {
  const { files } = t.context;
  const name = `outbound|444||${TLS}`;
  await withRules(t.context, name, withTls({ mode: 'SIMPLE', caCertificates: files.roots }), async () => {
    t.regex(await exchange(t.context, 444), /^failed/);
  });
  const certificates = { clientCertificate: files.certificate, privateKey: files.key, caCertificates: files.roots };
  await withRules(t.context, name, withTls({ mode: 'MUTUAL', ...certificates }), async () => {
    await t.notThrowsAsync(answers(t.context, 444, 'mutual sni= client=DNS:client.example.com: hello'));
  });
});

const isStatus = (context: RuleMesh, expected: number) =>
  eventually(`the answer is ${expected}`, async () => (await send(context)).status === expected);

e2eTest('a credentialName leaves a sidecar without endpoints, in place of an unverified server', async (t) => {
  await withRules(
    t.context,
    CLUSTER,
    policy({ tls: { mode: 'SIMPLE', credentialName: 'secret' } }),
    async (cluster) => {
      t.is(cluster['type'] ?? 'STATIC', 'STATIC');
      await t.notThrowsAsync(isStatus(t.context, 503));
      t.is((await send(t.context)).body, 'no healthy upstream');
    },
  );
});

e2eTest('MESH_MUTUAL uses certificates of the mesh for all endpoints, DISABLE for none', async (t) => {
  const web = `outbound|80||${WEB_HOST}`;
  const request = { at: 'http://10.96.0.10/', host: WEB_HOST };
  const hasIdentity = async () => {
    const { headers } = JSON.parse((await send(t.context, request)).body) as { readonly headers: object };
    return 'x-forwarded-client-cert' in headers;
  };
  t.true(await hasIdentity());
  await withRules(t.context, web, [rule(WEB_HOST, { trafficPolicy: { tls: { mode: 'DISABLE' } } })], async () => {
    await eventually('no certificate is shown', async () => !(await hasIdentity()));
  });
  await withRules(t.context, web, [rule(WEB_HOST, { trafficPolicy: { tls: { mode: 'MESH_MUTUAL' } } })], async () => {
    await eventually('a certificate is shown', hasIdentity);
  });
  // The servers of the pool have no sidecars.
  await withRules(t.context, CLUSTER, policy({ tls: { mode: 'MESH_MUTUAL' } }), async () => {
    await t.notThrowsAsync(isStatus(t.context, 503));
  });
});

const timeout = (connectTimeout: string) => ({ trafficPolicy: { connectionPool: { tcp: { connectTimeout } } } });

e2eTest(
  'the namespaces of client and service and the root namespace decide, in this order, and no others',
  async (t) => {
    const web = `outbound|80||${WEB_HOST}`;
    const rules = [
      rule(WEB_HOST, { ...timeout('4s'), exportTo: ['*'] }, 'attacker/rule'),
      rule('*', timeout('3s'), 'mesh-system/rule'),
      rule('web', { ...timeout('2s'), exportTo: ['default'] }, 'shop/rule'),
      rule(WEB_HOST, { ...timeout('1s'), exportTo: ['.'] }, 'default/rule'),
    ];
    for (const [kept, expected] of [
      [4, '1s'],
      [3, '2s'],
      [2, '3s'],
    ] as const) {
      await withRules(t.context, web, rules.slice(0, kept), async (cluster) => {
        t.is(cluster['connect_timeout'], expected);
      });
    }
    const [ofAttacker] = rules;
    const hidden = rule('web', { ...timeout('2s'), exportTo: ['.'] }, 'shop/rule');
    const marker = rule(POOL, timeout('9s'));
    await withRules(t.context, CLUSTER, ofAttacker ? [ofAttacker, hidden, marker] : [], async () => {
      t.is((await clusterOf(t.context, web))?.['connect_timeout'], '10s');
    });
  },
);
