import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { HttpAnswer, HttpRequest } from '../counterparts/agent/calls.js';
import { projectRoot } from '../counterparts/project-root.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { createCredentialFolder } from './credential-folder.js';
import { countStatuses, policyMeshConfig } from './policy-mesh.js';
import { createSecuredMesh, type PodOptions, type SecuredMesh, type SecuredSidecar } from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
  web: SecuredSidecar;
  books: SecuredSidecar;
  ingress: SecuredSidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SAMPLES = join(projectRoot(), 'samples');
const textOf = (path: string) => readFileSync(join(SAMPLES, path), 'utf8');
/** The shop; both versions of books are endpoints. */
const meshFiles = () =>
  Object.fromEntries(
    readdirSync(join(SAMPLES, 'mesh')).map((file) => [
      file,
      textOf(`mesh/${file}`).replace('# - { addresses: [10.244.0.22]', '- { addresses: [10.244.0.22]'),
    ]),
  );

const pod = (name: string, app: string, address: string): PodOptions => ({
  ...{ name, namespace: 'shop', address, serviceAccount: app, isSecured: true },
  labels: { app },
  type: app === 'ingress' ? 'router' : 'sidecar',
});
const ADDRESSES = { web: '10.96.0.110', books: '10.96.0.120', orders: '10.96.8.8', ingress: '10.244.0.51' };

test.before(async (t) => {
  if (available === undefined) return;
  const credentials = await createCredentialFolder();
  const certificate = createTestAuthority('public').issue({ dnsNames: ['secure.shop.example.com'] });
  await credentials.write('shop', 'shop-cert', certificate);
  const secured = await createSecuredMesh(available, {
    files: meshFiles(),
    meshConfig: policyMeshConfig(),
    policyConfig: textOf('policy.yaml'),
    env: { NAV_CREDENTIALS_DIR: credentials.path },
  });
  secured.mesh.rig.defer(() => credentials.remove());
  t.context.secured = secured;
  const [web, books, newBooks, orders, ingress] = await Promise.all([
    secured.addPod(pod('web-1', 'web', '10.244.0.11')),
    secured.addPod(pod('books-1', 'books', '10.244.0.21')),
    secured.mesh.rig.addWorkload({ name: 'books-2', address: '10.244.0.22', captured: false }),
    secured.mesh.rig.addWorkload({ name: 'orders-vm-1', address: '10.244.8.8', captured: false }),
    secured.addPod(pod('ingress-1', 'ingress', ADDRESSES.ingress)),
  ]);
  await web.agent.call('serveHttp', { name: 'web-1', port: 8080 });
  await books.agent.call('serveHttp', { name: 'books-1', port: 8080 });
  await newBooks.agent.call('serveHttp', { name: 'books-2', port: 8080 });
  await orders.agent.call('serveHttp', { name: 'orders-vm-1', port: 7070 });
  await Promise.all([web, books, ingress].map(({ envoy }) => envoy.ready()));
  Object.assign(t.context, { web, books, ingress });
});

test.afterEach.always('no proxy refused anything', async (t) => {
  await t.context.secured?.mesh.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

/** Copies a file of the tour into the mesh, waits until it is in force, and removes it after the checks. */
async function visit(
  { secured }: Context,
  file: string,
  isInForce: () => Promise<boolean>,
  check: () => Promise<void>,
): Promise<void> {
  const { configFolder } = secured.mesh.discovery;
  await configFolder.writeText(`tour-${file}`, textOf(`tour/${file}`));
  try {
    await eventually(`${file} is in force`, isInForce);
    await check();
  } finally {
    await configFolder.remove(`tour-${file}`);
  }
  await eventually(`${file} is gone`, async () => !(await isInForce()));
}

type Request = Omit<HttpRequest, 'url'>;

function inMesh(
  { books }: Context,
  service: 'books' | 'orders' | 'web',
  count = 1,
  { headers = {}, ...request }: Request = {},
): Promise<readonly HttpAnswer[]> {
  const host = service === 'orders' ? 'orders.shop.internal' : service;
  const url = `http://${ADDRESSES[service]}/`;
  const requests = Array.from({ length: count }, () => ({ ...request, url, headers: { ...headers, host } }));
  return books.agent.call('requestMany', { requests });
}

/** A request from outside of the mesh. */
function atEdge({ secured }: Context, host: string, { headers = {}, ...request }: Request = {}, scheme = 'http') {
  const port = scheme === 'http' ? 8080 : 8443;
  return secured.mesh.rig.routerAgent.call('requestHttp', {
    ...request,
    url: `${scheme}://${ADDRESSES.ingress}:${port}/`,
    ...(scheme === 'http' ? {} : { serverName: host }),
    headers: { ...headers, host },
  });
}

const hasRoute = async ({ envoy }: SecuredSidecar, text: string) =>
  (await envoy.admin('/config_dump?resource=dynamic_route_configs')).includes(text);
const hasCluster = async ({ envoy }: SecuredSidecar, pattern: RegExp) =>
  pattern.test((await envoy.admin('/config_dump?resource=dynamic_active_clusters')).replaceAll(/\s/g, ''));
const nameOf = ({ body }: HttpAnswer): string => (JSON.parse(body) as { name: string }).name;
const shopAnswers = (context: Context) =>
  eventually('the ingress serves the shop', async () => (await atEdge(context, 'shop.example.com')).status === 200);

e2eTest('the ingress of the shop sends requests to web', async (t) => {
  await shopAnswers(t.context);
  t.is(nameOf(await atEdge(t.context, 'shop.example.com')), 'web-1');
});

e2eTest('canary.yaml: testers get the new version, and others get both', async (t) => {
  const { context } = t;
  await visit(
    context,
    'canary.yaml',
    () => hasRoute(context.web, 'outbound|80|v2|books.shop'),
    async () => {
      // A key of its own for each request, so that no quota of books runs out.
      let keys = 0;
      const ask = (headers: Request['headers'] = {}) =>
        context.web.agent.call('requestHttp', {
          url: `http://${ADDRESSES.books}/`,
          headers: { host: 'books', 'x-api-key': `${keys++}`, ...headers },
        });
      for (let asked = 0; asked < 5; asked++) t.is(nameOf(await ask({ 'x-tester': 'yes' })), 'books-2');
      const seen = new Set<string>();
      await eventually('both versions answer', async () => seen.add(nameOf(await ask())).size === 2);
    },
  );
});

e2eTest('fault-and-retry.yaml: a tenth of the requests to orders fails, and web has retries', async (t) => {
  const { context } = t;
  await visit(
    context,
    'fault-and-retry.yaml',
    () => hasRoute(context.books, 'envoy.filters.http.fault'),
    async () => {
      const answers = await inMesh(context, 'orders', 200);
      const { 200: succeeded = 0, 503: failed = 0, ...others } = countStatuses(answers);
      t.deepEqual(others, {});
      // 20 expected, with a standard deviation of 4.2.
      t.true(failed > 0 && failed < 60, `${failed} of ${succeeded + failed} failed`);
      t.true(await hasRoute(context.books, 'retriable_status_codes'));
    },
  );
});

e2eTest('limits.yaml: requests beyond the limits get 503', async (t) => {
  const { context } = t;
  await visit(
    context,
    'limits.yaml',
    () => hasCluster(context.books, /"name":"outbound\|80\|\|web\.shop.*"max_pending_requests":1\b/),
    async () => {
      let limited = 0;
      await eventually('a request is limited', async () => {
        limited += countStatuses(await inMesh(context, 'web', 50))[503] ?? 0;
        return limited > 0;
      });
      t.is(countStatuses(await inMesh(context, 'web'))[200], 1);
    },
  );
});

e2eTest('ingress-with-tls.yaml: plaintext is redirected, and HTTPS works', async (t) => {
  const { context } = t;
  const host = 'secure.shop.example.com';
  await visit(
    context,
    'ingress-with-tls.yaml',
    async () => (await atEdge(context, host)).status === 301,
    async () => {
      t.is((await atEdge(context, host)).headers['location'], `https://${host}/`);
      await eventually('HTTPS works', async () => (await atEdge(context, host, {}, 'https')).status === 200);
    },
  );
});

e2eTest('jwt-and-authorization.yaml: the router demands tokens, and their scopes decide', async (t) => {
  const { context } = t;
  const text = textOf('tour/jwt-and-authorization.yaml');
  const tokenOf = (name: string) => new RegExp(`^#   ${name}: (\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const status = async (token?: string, request: Request = {}) => {
    const headers: Request['headers'] = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await atEdge(context, 'shop.example.com', { ...request, headers })).status;
  };
  const order: Request = { method: 'POST', path: '/titles/1/orders' };
  await visit(
    context,
    'jwt-and-authorization.yaml',
    async () => (await status()) === 403,
    async () => {
      const signed = tokenOf('ann').split('.');
      const [, , foreign] = tokenOf('ben').split('.');
      t.is(await status([signed[0], signed[1], foreign].join('.')), 401);
      t.is(await status(tokenOf('ann')), 200);
      t.is(await status(tokenOf('ben')), 200);
      t.is(await status(tokenOf('ann'), order), 200);
      t.is(await status(tokenOf('ben'), order), 403);
      t.is(await status(undefined, order), 403);
    },
  );
  await shopAnswers(context);
});

e2eTest('quota-at-the-gateway.yaml: the router refuses the eleventh request of a minute', async (t) => {
  const { context } = t;
  const ask = (key: string) => atEdge(context, 'api.shop.example.com', { headers: { 'x-api-key': key } });
  await visit(
    context,
    'quota-at-the-gateway.yaml',
    // The route may come before the check: requests are counted once one is refused.
    async () => (await ask('probe')).status === 429,
    async () => {
      const answers: HttpAnswer[] = [];
      for (let asked = 0; asked < 12; asked++) answers.push(await ask('reader'));
      t.deepEqual(countStatuses(answers), { 200: 10, 429: 2 });
    },
  );
});
