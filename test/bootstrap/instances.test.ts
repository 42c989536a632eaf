import { Client, credentials } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { passThrough } from '../../src/net/raw-method.js';
import { createPluggedInAuthority, createRoot, issueFor } from '../e2e/plugged-in-authority.js';
import { eventually } from '../support/eventually.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
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

const MESH = { defaultConfig: { discoveryAddress: 'meshd-canary.mesh-system.svc:15012' } };

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
  // A machine under load can leave a question without an answer, which is asked again later.
  const page = await eventually('the rejection is shown', async () => {
    const shown = await proxiesOf(first);
    return shown.lastRejections.length > 0 && shown.proxies[1]?.state === 'current' && shown;
  });
  t.like(page.proxies[0], { name: 'web-2', state: 'rejected', instance: 'meshd-2' });
  t.like(page.proxies[1], { name: 'web-1' });
  t.is(page.proxies[1]?.instance, undefined);
  t.deepEqual(page.lastRejections[0]?.causes, ['ServiceEntry/shop/pay']);
  t.deepEqual(page.silentInstances, []);
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
  t.is((await first.monitoring.get(`/debug/proxy?proxyID=${'~'.repeat(12_000)}`)).status, 404);
  t.deepEqual((await proxiesOf(first)).silentInstances, [], 'a long question silences no instance');

  // A workload of the mesh is no instance, and reads nothing.
  const { certificate, key } = await issueFor(root, 'spiffe://cluster.local/ns/mesh-system/sa/other');
  const tls = credentials.createSsl(Buffer.from(root.roots), Buffer.from(key), Buffer.from(certificate));
  const client = new Client(`127.0.0.1:${second.secureGrpcPort}`, tls, {
    'grpc.ssl_target_name_override': 'meshd-canary.mesh-system.svc',
  });
  t.teardown(() => client.close());
  const refusal = await new Promise<Error>((resolve) => {
    const call = client.makeBidiStreamRequest('/navigator.instances.v1.Pages/Read', passThrough, passThrough);
    call.on('data', () => resolve(new Error('it was answered')));
    call.on('error', resolve);
    call.write(Buffer.from(JSON.stringify({ path: '/debug/proxies', form: 'json' })));
  });
  t.regex(refusal.message, /PERMISSION_DENIED: only instances of the control plane/);

  await second.stop();
  const alone = await eventually('the silent instance is named', async () => {
    const shown = await proxiesOf(first);
    return shown.silentInstances.length > 0 && shown;
  });
  t.is(alone.connected, 1);
  t.is(alone.silentInstances[0]?.name, `127.0.0.1:${second.secureGrpcPort}`);
});
