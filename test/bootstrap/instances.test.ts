import { Client, credentials } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { passThrough } from '../../src/net/raw-method.js';
import { createPluggedInAuthority, createRoot, issueFor } from '../e2e/plugged-in-authority.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import { connectPolicyClient } from './support/policy-client.js';
import { untilReady } from './support/policy-mesh.js';
import { startPolicyProcess } from './support/policy-process.js';
import { type RunningServer, startServer } from './support/running-server.js';

interface ProxiesPage {
  readonly connected: number;
  readonly proxies: readonly { name: string; state: string; instance?: string }[];
  readonly lastRejections: readonly { message: string; causes: string[] }[];
  readonly silentInstances: readonly { name: string; reason: string }[];
}

interface ObjectPage {
  readonly proxies: readonly { name: string; instance?: string; rejects: boolean }[];
}

const MESH = {
  defaultConfig: { discoveryAddress: 'meshd-canary.mesh-system.svc:15012' },
  // A policy server gets policies only if the mesh has one.
  mixerCheckServer: 'policy.mesh-system.svc.cluster.local:15016',
};

/** The own Service, with the addresses of all instances. */
function meshd(...ports: readonly number[]): string {
  const metadata = { name: 'meshd-canary', namespace: 'mesh-system' };
  return documents(
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: { clusterIP: '10.96.0.9', ports: [{ name: 'tls-xds', port: 15012 }] },
    }),
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Endpoints', metadata },
      subsets: ports.map((port) => ({ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'tls-xds', port }] })),
    }),
  );
}

async function startTwo(t: ExecutionContext) {
  const root = await createRoot();
  const authority = await createPluggedInAuthority(root);
  t.teardown(authority.remove);
  const variables = (POD_NAME: string) => ({
    ...{ ENABLE_CA_SERVER: 'true', ROOT_CA_DIR: authority.folder, POD_NAME },
    // A revision has a Service of its own.
    ...{ REVISION: 'canary', NAV_MESH_CONFIG_DEFAULTS: JSON.stringify(MESH) },
  });
  const files = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };
  const first = await startServer(t, { files, variables: variables('meshd-1') });
  const second = await startServer(t, { folder: first.folder, variables: variables('meshd-2') });
  return { root, first, second };
}

const idOf = (name: string) => `sidecar~10.0.0.1~${name}.shop~shop.svc.cluster.local`;
const proxiesOf = ({ monitoring }: RunningServer) => monitoring.json<ProxiesPage>('/debug/proxies?format=json');

test('the pages of each instance show the proxies of all, ask by mutual TLS, and name an instance that is silent', async (t) => {
  const { root, first, second } = await startTwo(t);
  await connectProxy(t, first, { ...sidecar(), id: idOf('web-1') });
  const other = await connectProxy(t, second, { ...sidecar(), id: idOf('web-2') });
  await first.folder.write('meshd.yaml', meshd(first.secureGrpcPort, second.secureGrpcPort));
  await eventually('both proxies are shown', async () => (await proxiesOf(first)).connected === 2);
  await other.settled();
  other.refuseNext.add(TypeUrl.cluster);
  await first.folder.write('pay.yaml', serviceEntry('pay'));
  // A question has no answer when its instance gets no processor time. It is asked again later.
  const page = await eventually('the rejection is shown', async () => {
    const shown = await proxiesOf(first);
    const isComplete = shown.lastRejections.length > 0 && shown.silentInstances.length === 0;
    return isComplete && shown.proxies[1]?.state === 'current' && shown;
  });
  t.like(page.proxies[0], { name: 'web-2', state: 'rejected', instance: 'meshd-2' });
  t.like(page.proxies[1], { name: 'web-1' });
  t.is(page.proxies[1]?.instance, undefined);
  t.deepEqual(page.lastRejections[0]?.causes, ['ServiceEntry/shop/pay']);
  await eventually('the overview counts both', async () => {
    const { proxies } = await first.monitoring.json<{ proxies: object }>('/debug?format=json');
    return JSON.stringify(proxies) === JSON.stringify({ connected: 2, current: 1, rejected: 1 });
  });
  const object = await eventually('the object names both', async () => {
    const shown = await first.monitoring.json<ObjectPage>('/debug/object?format=json&key=ServiceEntry/shop/pay');
    return shown.proxies.length === 2 && shown;
  });
  t.deepEqual(
    object.proxies.map(({ name, instance, rejects }) => [name, instance, rejects]),
    [
      ['web-1', undefined, false],
      ['web-2', 'meshd-2', true],
    ],
  );
  const html = await eventually('the page of the other proxy is shown', async () => {
    const { status, body } = await first.monitoring.get('/debug/proxy?proxyID=web-2');
    return status === 200 && body;
  });
  t.regex(html, /Shown by instance <bdi>meshd-2<\/bdi>.*refused by the test.*ServiceEntry\/shop\/pay/s);
  await eventually('its data too', async () => {
    const { body } = await first.monitoring.get('/debug/proxy?proxyID=web-2&format=json');
    return body.includes(`"proxy": "${idOf('web-2')}"`);
  });
  t.is((await first.monitoring.get('/debug/proxy?proxyID=web-3')).status, 404);
  await eventually('a long question silences no instance', async () => {
    // An instance that is silent is not asked.
    if ((await proxiesOf(first)).silentInstances.length > 0) return false;
    t.is((await first.monitoring.get(`/debug/proxy?proxyID=${'~'.repeat(12_000)}`)).status, 404);
    const { silentInstances } = await proxiesOf(first);
    // The time of any question runs out when its instance gets no processor time.
    const silenced = silentInstances.filter(({ reason }) => !/DEADLINE_EXCEEDED/.test(reason));
    t.deepEqual(silenced, []);
    return silentInstances.length === 0;
  });

  // A workload of the mesh is no instance, and reads nothing.
  const { certificate, key } = await issueFor(root, 'spiffe://cluster.local/ns/mesh-system/sa/other');
  const tls = credentials.createSsl(Buffer.from(root.roots), Buffer.from(key), Buffer.from(certificate));
  const client = new Client(`127.0.0.1:${second.secureGrpcPort}`, tls, {
    'grpc.ssl_target_name_override': 'meshd-canary.mesh-system.svc',
  });
  t.teardown(() => client.close());
  const refusalOf = (method: string, message: object) =>
    new Promise<Error>((resolve) => {
      const call = client.makeBidiStreamRequest(`/navigator.instances.v1.${method}`, passThrough, passThrough);
      call.on('data', () => resolve(new Error('it was answered')));
      call.on('error', resolve);
      call.write(Buffer.from(JSON.stringify(message)));
    });
  const read = await refusalOf('Pages/Read', { path: '/debug/proxies', form: 'json' });
  t.regex(read.message, /PERMISSION_DENIED: only instances of the control plane/);
  const served = await refusalOf('PolicyServers/Serve', { id: 'router~10.0.0.1~x.y~y.svc', name: 'x' });
  t.regex(served.message, /PERMISSION_DENIED: only policy servers with an account of NAV_POLICY_READERS/);

  await second.stop();
  const alone = await eventually('the silent instance is named', async () => {
    const shown = await proxiesOf(first);
    return shown.silentInstances.length > 0 && shown;
  });
  t.is(alone.connected, 1);
  t.is(alone.silentInstances[0]?.name, `127.0.0.1:${second.secureGrpcPort}`);
});

const WEB = 'web.shop.svc.cluster.local';
const LIMITS = JSON.stringify({ quotas: [{ name: 'requests', maxAmount: 3, validDuration: '1h' }] });

/** A quota for every request to the service web. */
function quota(): string {
  const head = (kind: string) => ({
    ...{ apiVersion: 'config.mesh.internal/v1alpha2', kind },
    metadata: { name: 'web', namespace: 'shop' },
  });
  return documents(
    JSON.stringify({ ...head('QuotaSpec'), spec: { rules: [{ quotas: [{ quota: 'requests', charge: 1 }] }] } }),
    JSON.stringify({
      ...head('QuotaSpecBinding'),
      spec: { services: [{ name: 'web' }], quotaSpecs: [{ name: 'web' }] },
    }),
  );
}

interface QuotasPage {
  readonly otherServers: readonly string[];
  readonly silentServers: readonly { name: string; reason: string }[];
  readonly quotas: readonly {
    readonly keys: readonly { id: string; used: number; servers: readonly { server: string; used: number }[] }[];
  }[];
}

test('the page of quotas shows the counters of all instances and policy servers, and a reset holds for all', async (t) => {
  const { first, second } = await startTwo(t);
  await first.folder.write('quota.yaml', quota());
  await writeWhole(first.policyConfigFile, LIMITS);
  await first.folder.write('meshd.yaml', meshd(first.secureGrpcPort, second.secureGrpcPort));
  const policy = await startPolicyProcess(t, [
    ...['--discoveryAddress', `127.0.0.1:${second.grpcPort}`, '--policyConfig', first.policyConfigFile],
  ]);
  await untilReady(policy);
  const clients = [first, second, policy].map(({ policyPort }) => connectPolicyClient(t, policyPort));
  const askAll = () => Promise.all(clients.map((client) => client.ask(WEB)));
  const pageOf = () => first.monitoring.json<QuotasPage>('/debug/quotas?format=json');
  const countsOf = ({ quotas }: QuotasPage) => quotas[0]?.keys[0]?.servers.map(({ used }) => used);
  await eventually('each counts', async () => {
    await askAll();
    return countsOf(await pageOf())?.join() === '3,3,3';
  });
  t.deepEqual(await askAll(), [429, 429, 429]);

  // As above, a question has no answer when its server gets no processor time.
  const page = await eventually('no server is silent', async () => {
    const shown = await pageOf();
    return shown.silentServers.length === 0 && shown;
  });
  const own = Number(/:(\d+)$/.exec(page.otherServers[1] ?? '')?.[1]);
  t.is((await fetch(`http://127.0.0.1:${own}/debug/quotas`)).status, 200, 'the name has the port of its own page');
  const [key] = page.quotas[0]?.keys ?? [];
  t.is(key?.used, 9);
  t.deepEqual(
    key?.servers.map(({ server }) => server),
    ['this server', ...page.otherServers],
  );
  t.is(page.otherServers[0], 'meshd-2');

  const counter = `${key?.id}/requests`;
  const reset = () =>
    fetch(`http://127.0.0.1:${first.monitoringPort}/debug/quotas`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ counter }) },
    });
  await eventually('the counter is reset at all servers', async () => (await reset()).status === 303);
  t.deepEqual(await askAll(), [200, 200, 200]);

  await second.stop();
  const refused = await reset();
  t.is(refused.status, 503);
  t.regex(await refused.text(), /^The counter is reset, but not at all servers\. .*\n127\.0\.0\.1:\d+: /);
});
