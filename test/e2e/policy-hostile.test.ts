import type { ExecutionContext } from 'ava';
import { CHECK_HEADERS } from '../../src/policy/wire/call-metadata.js';
import type { HttpAnswer, HttpRequest } from '../counterparts/agent/calls.js';
import { boundApiSpec, boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { forgeAttribute } from './forge-attributes.js';
import { countStatuses, createPolicyMesh, type PolicyMesh, SERVER_ADDRESS } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const LIMIT = 10;
/** In this order they have ports 8080 and up. */
const SERVICES = ['forged', 'by-host', 'large', 'paths', 'keys', 'bystander', 'unchecked', 'check-headers'] as const;
const CHECKED = SERVICES.filter((name) => name !== 'unchecked');
type Service = (typeof SERVICES)[number];

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: SERVICES,
    specs: {
      ...Object.fromEntries(
        CHECKED.map((name) => [
          `${name}.yaml`,
          boundQuotaSpec({ name }, [name], [{ quotas: [{ quota: name, charge: 1 }] }]),
        ]),
      ),
      'api.yaml': boundApiSpec({ name: 'api' }, CHECKED, [{ httpMethod: 'GET', uriTemplate: '/**', operation: 'any' }]),
    },
    limits: [
      { name: 'forged', maxAmount: LIMIT, validDuration: '1h' },
      { name: 'by-host', maxAmount: LIMIT, validDuration: '1h', dimensions: ['destination.service.host'] },
      { name: 'large', maxAmount: LIMIT, validDuration: '1h' },
      { name: 'check-headers', maxAmount: LIMIT, validDuration: '1h', dimensions: ['source.principal', 'origin.ip'] },
      { name: 'paths', maxAmount: LIMIT, validDuration: '1h' },
      { name: 'keys', maxAmount: 3, validDuration: '1h', dimensions: ['request.api_key'] },
      { name: 'bystander', maxAmount: 1_000_000_000, validDuration: '1h' },
    ],
  });
});

/** Requests from outside of the mesh straight to the server's sidecar, while a bystander is being served. */
async function attack(
  t: ExecutionContext,
  policy: PolicyMesh,
  service: Service,
  requests: readonly Omit<HttpRequest, 'url'>[],
): Promise<readonly HttpAnswer[]> {
  const { client, mesh } = policy;
  await client.agent.call('startLoad', { request: policy.request('bystander'), concurrency: 1 });
  const url = `http://${SERVER_ADDRESS}:${8080 + SERVICES.indexOf(service)}/`;
  const answers = await mesh.rig.routerAgent.call('requestMany', {
    requests: requests.map(({ headers, ...rest }) => ({ url, headers: { host: service, ...headers }, ...rest })),
    concurrency: 25,
  });
  const { samples, failures, requests: served } = await client.agent.call('stopLoad', null);
  t.deepEqual(samples, [], 'others are served as ever');
  t.is(failures, 0);
  t.true(served > 0);
  await t.notThrowsAsync(mesh.discovery.get('/ready'));
  return answers;
}

const FORGERIES: readonly string[] = [
  'not base64 at all: \u00e4\u00f6\u00fc {"json": true}',
  ','.repeat(5000),
  'AAAA',
  Buffer.alloc(30_000, 0xff).toString('base64'),
  Buffer.alloc(12, 0x0a).toString('base64'),
  forgeAttribute('destination.service.host', 'bystander.default.svc.cluster.local'),
  forgeAttribute('destination.service.name', 'bystander'),
  forgeAttribute('source.uid', 'orchestrator://admin.mesh-system'),
  forgeAttribute('request.api_key', 'gold'),
  forgeAttribute('__proto__', 'polluted'),
  forgeAttribute('source.uid', 'x'.repeat(40_000)),
  `${forgeAttribute('source.uid', 'a')},${forgeAttribute('source.uid', 'b')},garbage,${forgeAttribute('source.namespace', 'kube-system')}`,
];

e2eTest('forged attributes of a client outside the mesh do not bypass a quota of a service', async (t) => {
  const requests = [...FORGERIES, ...FORGERIES].map((text) => ({ headers: { 'x-mesh-attributes': text } }));
  const answers = await attack(t, policyOf(t.context), 'forged', requests);
  t.deepEqual(countStatuses(answers), { 200: LIMIT, 429: requests.length - LIMIT });
  for (const { status, body } of answers) {
    if (status === 200) t.false(body.includes('x-mesh-attributes'), 'the header does not reach the app');
  }
  const unchecked = await attack(t, policyOf(t.context), 'unchecked', requests);
  t.deepEqual(countStatuses(unchecked), { 200: requests.length });
  t.false(
    unchecked.some(({ body }) => body.includes('x-mesh-attributes')),
    'nor where nobody checks',
  );
});

e2eTest('forged attributes cannot move a request to the count of another service', async (t) => {
  const requests = Array.from({ length: 30 }, (_, index) => ({
    headers: {
      'x-mesh-attributes': forgeAttribute('destination.service.host', `other-${index}.default.svc.cluster.local`),
    },
  }));
  const answers = await attack(t, policyOf(t.context), 'by-host', requests);
  t.deepEqual(countStatuses(answers), { 200: LIMIT, 429: requests.length - LIMIT });
});

e2eTest('headers that only a proxy may send to the policy server change nothing, and reach nobody', async (t) => {
  const requests = Array.from({ length: 30 }, (_, index) => ({
    headers: Object.fromEntries(
      Object.values(CHECK_HEADERS).map((name) => [name, name === CHECK_HEADERS.id ? 'the same' : `forged-${index}`]),
    ),
  }));
  const answers = await attack(t, policyOf(t.context), 'check-headers', requests);
  t.deepEqual(countStatuses(answers), { 200: LIMIT, 429: requests.length - LIMIT });
  for (const { headers } of answers) {
    t.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('x-mesh-')),
      [],
    );
  }
});

e2eTest('requests with headers up to the limit of Envoy are counted like any other', async (t) => {
  const sizes = [1, 8, 16, 32, 50, 57, 70, 200];
  const requests = [...sizes, ...sizes, ...sizes].map((kilobytes) => ({
    headers: { 'x-padding': 'p'.repeat(kilobytes * 1024) },
  }));
  const answers = await attack(t, policyOf(t.context), 'large', requests);
  const counts = countStatuses(answers);
  t.is(counts[200], LIMIT);
  t.is(counts[431], 6, 'Envoy refuses more than 60 KB');
  t.is(counts[429], requests.length - LIMIT - 6);
});

e2eTest('unusual paths and methods are counted like any other, or rejected by Envoy', async (t) => {
  const paths = [
    '/%00',
    '//',
    '//etc//passwd',
    '/..;/admin',
    '/../../etc/passwd',
    '/%2e%2e%2f',
    '/%',
    '/%zz',
    '/%ff%fe',
    '/\u00ff\u00fe',
    '/?',
    '/?key',
    '/?key=%',
    '/?key=%ff%00',
    `/?${'key=a&'.repeat(3000)}`,
    `/${'a/'.repeat(8000)}`,
    '/#fragment',
    '*',
  ];
  const requests: Omit<HttpRequest, 'url'>[] = [
    ...[...paths, ...paths].map((path) => ({ path })),
    ...['OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'].map((method) => ({ method })),
  ];
  const answers = await attack(t, policyOf(t.context), 'paths', requests);
  const counts = countStatuses(answers);
  t.is(counts[200], LIMIT);
  const { 200: _, 429: refused = 0, 400: bad = 0, ...rest } = counts;
  t.deepEqual(rest, {});
  t.is(refused + bad, requests.length - LIMIT);
});

e2eTest('bytes that are neither HTTP nor gRPC disturb neither a sidecar nor the policy server', async (t) => {
  const policy = policyOf(t.context);
  const { routerAgent } = policy.mesh.rig;
  for (const [address, port] of [
    [SERVER_ADDRESS, 8080],
    ['10.244.0.1', 15016],
  ] as const) {
    for (const send of [
      '\u0000\u00ff'.repeat(5000),
      'GET \u00ff\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u00ff\u00ff\u00ff',
    ]) {
      const exchange = {
        address,
        port,
        send,
        until: 'nothing sends this',
        encoding: 'latin1',
        timeoutMs: 500,
      } as const;
      await t.throwsAsync(routerAgent.call('exchangeTcp', exchange), { message: /closed|ECONNRESET|EPIPE|no answer/ });
    }
  }
  t.deepEqual(countStatuses(await policy.send('bystander', 10)), { 200: 10 });
});

e2eTest('requests for tunnels and upgrades end neither a sidecar nor the policy server', async (t) => {
  const policy = policyOf(t.context);
  const ask = (send: string) =>
    policy.mesh.rig.routerAgent.call('exchangeTcp', {
      ...{ address: SERVER_ADDRESS, port: 8080, send: `${send}\r\n\r\n`, until: '\r\n\r\n', encoding: 'latin1' },
    });
  // Envoy 1.40 ends when the check of a tunnel gets status 200.
  t.regex(await ask('CONNECT forged:80 HTTP/1.1\r\nhost: forged:80'), /^HTTP\/1\.1 40\d /);
  const upgrade = (protocol: string) => `GET / HTTP/1.1\r\nhost: forged\r\nconnection: upgrade\r\nupgrade: ${protocol}`;
  t.regex(await ask(upgrade('websocket')), /^HTTP\/1\.1 \d/);
  t.regex(await ask(upgrade('h2c')), /^HTTP\/1\.1 4\d\d /);
  t.deepEqual(countStatuses(await policy.send('bystander', 10)), { 200: 10 });
});

e2eTest('thousands of API keys are counted separately, and the limit of a known key still holds', async (t) => {
  const policy = policyOf(t.context);
  const keyed = (count: number, key: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => ({ path: `/?key=${encodeURIComponent(key(index))}` }));
  const before = await attack(
    t,
    policy,
    'keys',
    keyed(2, () => 'ada'),
  );
  t.deepEqual(countStatuses(before), { 200: 2 });
  const flood = await attack(t, policy, 'keys', [
    ...keyed(2000, (index) => `key-${index}`),
    ...keyed(20, (index) => `${index}${'k'.repeat(20_000)}`),
    ...keyed(20, (index) => `\u0000\uffff:${index}|,"`),
  ]);
  t.deepEqual(countStatuses(flood), { 200: 2040 });
  const after = await attack(
    t,
    policy,
    'keys',
    keyed(10, () => 'ada'),
  );
  t.deepEqual(countStatuses(after), { 200: 1, 429: 9 });
});
