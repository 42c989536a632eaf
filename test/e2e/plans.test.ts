import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../counterparts/config-folder.js';
import { endpointsManifest, serviceManifest } from '../counterparts/manifests.js';
import { policyManifest } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh, SERVER_ADDRESS } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const LISTED = 'key-of-acme-by-its-hash';
const KEPT = 'key-of-acme-in-a-secret';
const READER = 'key-that-may-only-read';
const UNLUCKY = 'key-of-a-service-that-fails';
const KEYS = [LISTED, KEPT, READER, UNLUCKY];
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const withKey = (key: string) => ({ headers: { 'x-api-key': key } });

const folder = mkdtempSync(join(tmpdir(), 'navigator-keys-'));
mkdirSync(join(folder, 'default/acme-keys'), { recursive: true });
writeFileSync(join(folder, 'default/acme-keys/key'), `${KEPT}\n`);
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

/** A service whose application does not run. */
const BROKEN = { name: 'broken', clusterIP: '10.96.0.99', ports: [{ name: 'http', port: 80, targetPort: 8099 }] };

const TO_BROKEN = [{ destination: { host: BROKEN.name } }];
/** Without it, the proxy of the caller repeats a request that gets 503 twice. */
const ONCE = { 'x-once': 'true' };
/** Requests with `ONCE` are not repeated. */
const BROKEN_ROUTES: Manifest = {
  apiVersion: 'networking.mesh.internal/v1beta1',
  kind: 'VirtualService',
  metadata: { name: 'broken', namespace: 'default' },
  spec: {
    hosts: [BROKEN.name],
    http: [
      {
        match: [{ headers: { 'x-once': { exact: 'true' } } }],
        retries: { attempts: 0 },
        route: TO_BROKEN,
      },
      { route: TO_BROKEN },
    ],
  },
};

const PLANS: readonly Manifest[] = [
  policyManifest('Plan', 'gold', {
    services: [{ name: 'books' }],
    limits: [
      { name: 'per-key', requests: 3, per: 'day', of: 'key' },
      { name: 'month', requests: 5, per: 'month' },
    ],
  }),
  policyManifest('Plan', 'patient', {
    services: [{ name: 'broken' }],
    limits: [{ name: 'day', requests: 5, per: 'day' }],
    refund: { responseCodes: ['5xx'] },
  }),
  policyManifest('Consumer', 'unlucky', { plan: { name: 'patient' }, keys: [{ sha256: hashOf(UNLUCKY) }] }),
  policyManifest('Plan', 'read-only', {
    services: [{ name: 'books' }],
    match: [{ clause: { 'request.method': { exact: 'GET' } } }],
    limits: [],
  }),
  policyManifest('Consumer', 'acme', {
    plan: { name: 'gold' },
    keys: [{ sha256: hashOf(LISTED) }, { secretRef: { name: 'acme-keys' } }],
  }),
  policyManifest('Consumer', 'reader', { plan: { name: 'read-only' }, keys: [{ sha256: hashOf(READER) }] }),
];

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    env: { NAV_CREDENTIALS_DIR: folder },
    services: ['books'],
    specs: { 'plans.yaml': PLANS },
    files: { 'broken.yaml': [serviceManifest(BROKEN), endpointsManifest(BROKEN, [SERVER_ADDRESS]), BROKEN_ROUTES] },
    limits: [],
  });
});

e2eTest(
  'requests without a known key get 401, and those that a plan does not include 403, without being counted',
  async (t) => {
    const policy = policyOf(t.context);
    const [none] = await policy.send('books', 1);
    t.like(none, { status: 401, body: 'The request has no API key, and this API needs one' });
    t.is(none?.headers['www-authenticate'], 'ApiKey');
    t.is(none?.headers['ratelimit'], undefined);
    t.deepEqual(countStatuses(await policy.send('books', 5, withKey('guess'))), { 401: 5 });
    t.deepEqual(countStatuses(await policy.send('books', 5, withKey(hashOf(LISTED)))), { 401: 5 }, 'a hash is no key');
    t.deepEqual(countStatuses(await policy.send('books', 2, withKey(READER))), { 200: 2 });
    t.deepEqual(countStatuses(await policy.send('books', 2, { ...withKey(READER), method: 'POST' })), { 403: 2 });
    t.is(await policy.mesh.discovery.metric('policy_server_plan_charges_total'), 0);
  },
);

e2eTest('reports of failed requests give them back, at most the limit in a window', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  const headers = { host: BROKEN.name, 'x-api-key': UNLUCKY };
  const charges = (result: string) => discovery.metric('policy_server_plan_charges_total', { result });
  const refunds = (result: string) => discovery.metric('policy_server_quota_refunds_total', { result });
  const ask = async (more: Readonly<Record<string, string>>, left: RegExp) => {
    const request = { url: `http://${BROKEN.clusterIP}/`, headers: { ...headers, ...more } };
    const [answer] = await policy.client.agent.call('requestMany', { requests: [request] });
    t.is(answer?.status, 503);
    t.regex(String(answer?.headers['ratelimit']), left);
  };
  await ask(ONCE, /^"day";r=4;t=\d+$/);
  await eventually('the request is given back', async () => (await refunds('refunded')) === 1);
  // Each of three attempts is charged. The first ones may be given back before the last one is charged.
  await ask({}, /^"day";r=[234];t=\d+$/);
  await eventually('all attempts are given back', async () => (await refunds('refunded')) === 4);
  await ask({}, /^"day";r=[234];t=\d+$/);
  await eventually('the last two attempts are not given back', async () => (await refunds('limited')) === 2);
  t.deepEqual([await refunds('refunded'), await charges('granted'), await charges('refused')], [5, 7, 0]);
});

e2eTest('limits of a key and of a consumer hold, and answers tell what is left', async (t) => {
  const policy = policyOf(t.context);
  const [first] = await policy.send('books', 1, withKey(LISTED));
  t.is(first?.status, 200);
  t.is(first?.headers['ratelimit-policy'], '"per-key";q=3;w=86400, "month";q=5;w=2678400');
  t.regex(String(first?.headers['ratelimit']), /^"per-key";r=2;t=\d+, "month";r=4;t=\d+$/);
  const listed = await policy.send('books', 10, withKey(LISTED));
  t.deepEqual(countStatuses(listed), { 200: 2, 429: 8 });
  const refused = listed.find(({ status }) => status === 429);
  t.is(refused?.body, 'Quota is exhausted for: per-key');
  const [, seconds] = /^"per-key";r=0;t=(\d+)$/.exec(String(refused?.headers['ratelimit'])) ?? [];
  t.is(refused?.headers['retry-after'], seconds);
  const kept = await policy.send('books', 10, withKey(KEPT));
  t.deepEqual(countStatuses(kept), { 200: 2, 429: 8 }, 'both keys share the month of the consumer');
  t.is(kept.find(({ status }) => status === 429)?.body, 'Quota is exhausted for: month');
});

e2eTest('pages show the use of each key by the beginning of its hash, and no page has a key', async (t) => {
  const { discovery } = policyOf(t.context).mesh;
  const quotas = await discovery.get('/debug/quotas');
  t.true(quotas.includes('Plan/default/gold</bdi></a> per-key'));
  t.true(quotas.includes(`api.consumer default/acme, api.key_id sha256:${hashOf(LISTED).slice(0, 12)}`));
  for (const path of ['/debug/quotas', '/debug/configz', '/debug/policyz?proxyID=server', '/debug/config_problems']) {
    const page = await discovery.get(path);
    for (const key of KEYS) t.false(page.includes(key), `${path} has a key`);
  }
  const log = discovery.logLines().join('\n');
  for (const key of KEYS) t.false(log.includes(key), 'the log has a key');
});
