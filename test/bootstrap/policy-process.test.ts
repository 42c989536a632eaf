import { type AddressInfo, createServer } from 'node:net';
import { status } from '@grpc/grpc-js';
import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../src/policy/client/attribute-bag.js';
import { createGrpcPolicyTransport } from '../../src/policy/remote/grpc-policy-transport.js';
import { findFreePort } from '../counterparts/free-ports.js';
import { HTTP_LOG_ENTRY } from '../policy/server/adapter/envoy-recordings.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';
import { startStopwatch } from '../support/stopwatch.js';
import { writeWhole } from '../support/write-whole.js';
import type { Teardown } from './support/cleanup.js';
import { documents, endpoints, service } from './support/manifests.js';
import { connectPolicyClient } from './support/policy-client.js';
import { startPolicyBinary, startPolicyProcess } from './support/policy-process.js';
import { type RunningServer, startServer } from './support/running-server.js';

const WEB = 'web.shop.svc.cluster.local';

/** A quota for every request to web. */
function policy(quota: string, charge = 1): string {
  const head = (kind: string) => ({
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name: 'web', namespace: 'shop' },
  });
  return documents(
    JSON.stringify({ ...head('QuotaSpec'), spec: { rules: [{ quotas: [{ quota, charge }] }] } }),
    JSON.stringify({
      ...head('QuotaSpecBinding'),
      spec: { services: [{ name: 'web' }], quotaSpecs: [{ name: 'web' }] },
    }),
  );
}

const MESH = 'mixerCheckServer: policy.mesh-system.svc.cluster.local:15016\n';

/** A discovery server whose mesh has the service web, with a policy. */
async function startDiscovery(t: Teardown, flags: readonly string[] = []): Promise<RunningServer> {
  const server = await startServer(t, {
    files: { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')), 'policy.yaml': policy('requests') },
    flags,
  });
  await writeWhole(server.meshConfigFile, MESH);
  await isInForce(server, 'policy.mesh-system.svc.cluster.local:15016');
  return server;
}

/** Waits until snapshots have the mesh config: a policy server that connects earlier is ready without policies. */
async function isInForce({ http }: RunningServer, checkServer: string): Promise<void> {
  const inForce = (): Promise<{ policy: { mixerCheckServer: string } }> => http.json('/debug/mesh');
  await eventually(
    `the check server is "${checkServer}"`,
    async () => (await inForce()).policy.mixerCheckServer === checkServer,
  );
}

function limits(maxAmount: number): string {
  return JSON.stringify({ quotas: [{ name: 'requests', maxAmount, validDuration: '1h' }] });
}

/** Files of the policy server. */
async function configFile(t: Teardown, text: string): Promise<string> {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  await folder.write('policy.yaml', text);
  return folder.at('policy.yaml');
}

test.serial('it enforces the quotas of the mesh exactly, and follows changes of policies and of limits', async (t) => {
  const discovery = await startDiscovery(t);
  const file = await configFile(t, limits(3));
  const flags = ['--discoveryAddress', `127.0.0.1:${discovery.grpcPort}`, '--policyConfig', file];
  const server = await startPolicyProcess(t, flags);
  const client = connectPolicyClient(t, server.policyPort);
  await eventually('it is ready', async () => (await server.monitoring.get('/ready')).status === 200);

  const answers = await Promise.all(Array.from({ length: 10 }, () => client.ask(WEB)));
  t.deepEqual(answers.toSorted(), [...Array(3).fill(200), ...Array(7).fill(429)]);
  t.is(await client.ask('unknown.shop.svc.cluster.local'), 200);

  await discovery.folder.write('policy.yaml', policy('other'));
  await eventually('the changed policy is in force', async () => (await client.ask(WEB)) === 200);
  await discovery.folder.write('policy.yaml', policy('requests'));
  await eventually('the policy of before is in force', async () => (await client.ask(WEB)) === 429);
  await writeWhole(file, limits(5));
  await eventually('the changed limit is in force', async () => (await client.ask(WEB)) === 200);
  const { body } = await server.monitoring.get('/metrics');
  t.regex(body, /^policy_discovery_connected 1$/m);
  t.regex(body, /^policy_discovery_services 1$/m);
  t.is(server.log().find(({ msg }) => msg === 'connected to the discovery server')?.scope, 'adsc');
});

test.serial('until policies have come it is not ready and lets the fail policies of proxies decide', async (t) => {
  const port = await findFreePort();
  const file = await configFile(t, limits(1));
  const server = await startPolicyProcess(t, ['--discoveryAddress', `127.0.0.1:${port}`, '--policyConfig', file]);
  const client = connectPolicyClient(t, server.policyPort);
  t.is((await server.monitoring.get('/ready')).status, 503);
  t.false(await client.isServing());
  const refusal = await t.throwsAsync(client.check(WEB), { message: /have not come yet/ });
  t.like(refusal, { code: status.UNAVAILABLE });
  const askingServer = createGrpcPolicyTransport(`127.0.0.1:${server.policyPort}`);
  t.teardown(askingServer.close);
  const call = { timeoutMs: 5000, signal: new AbortController().signal };
  const quotas = new Map([['requests', { amount: 1, bestEffort: false }]]);
  const refusedCall = { message: /have not come yet/, code: 'UNAVAILABLE' };
  await t.throwsAsync(
    askingServer.check({ attributes: bagOf(EMPTY_LAYER), deduplicationId: 'one', quotas }, call),
    refusedCall,
    'rules of the mesh may limit what another policy server asks for',
  );
  await t.throwsAsync(askingServer.report({ attributes: [bagOf(EMPTY_LAYER)] }, call), refusedCall);
  t.regex(
    (await server.monitoring.get('/debug')).body,
    new RegExp(`no configuration has come from 127.0.0.1:${port} yet`),
  );
  t.regex((await server.monitoring.get('/metrics')).body, /^policy_discovery_connected 0$/m);
  t.regex((await server.monitoring.get('/debug')).body, /<title>Navigator policy<\/title>/);

  const discovery = await startDiscovery(t, ['--grpcAddr', `127.0.0.1:${port}`]);
  await eventually('it is ready', async () => (await server.monitoring.get('/ready')).status === 200);
  await eventually('the health service says so', () => client.isServing());
  await eventually('the policy is in force', async () => (await client.ask(WEB)) === 429);

  await discovery.stop();
  await eventually('the loss is seen', async () =>
    /^policy_discovery_connected 0$/m.test((await server.monitoring.get('/metrics')).body),
  );
  t.is(await client.ask(WEB), 429);
  t.is((await server.monitoring.get('/ready')).status, 200);
  t.true(await client.isServing());
});

test.serial('a report that comes before the rules is given to their handlers when they are in force', async (t) => {
  const port = await findFreePort();
  const server = await startPolicyProcess(t, ['--discoveryAddress', `127.0.0.1:${port}`]);
  const client = connectPolicyClient(t, server.policyPort);
  const commonProperties = { ...HTTP_LOG_ENTRY.commonProperties, upstreamCluster: `inbound|80|http|${WEB}` };
  const message = {
    identifier: { node: { id: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local' }, logName: 'inbound' },
    httpLogs: { logEntry: [{ ...HTTP_LOG_ENTRY, commonProperties }] },
  };
  client.log(message, message);
  // The server has the stream when a call that began later is answered.
  t.false(await client.isServing());

  const object = (kind: string, name: string, spec: object) =>
    JSON.stringify({ apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata: { name, namespace: 'shop' }, spec });
  await startServer(t, {
    files: {
      'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')),
      'rules.yaml': documents(
        object('handler', 'metrics', {
          compiledAdapter: 'prometheus',
          params: { metrics: [{ name: 'seen', namespace: 'shop', instanceName: 'seen', kind: 'COUNTER' }] },
        }),
        object('instance', 'seen', { compiledTemplate: 'metric', params: { value: '1' } }),
        object('rule', 'see', { actions: [{ handler: 'metrics', instances: ['seen'] }] }),
      ),
    },
    flags: ['--grpcAddr', `127.0.0.1:${port}`],
    // In force from the start: the first configuration that the policy server gets has the rules.
    variables: { NAV_MESH_CONFIG_DEFAULTS: `${MESH}mixerReportServer: policy.mesh-system.svc.cluster.local:15016\n` },
  });
  await eventually('both reports are counted', async () =>
    /^shop_seen\{.*\} 2$/m.test((await server.monitoring.get('/metrics')).body),
  );
});

test.serial(
  'one that leaves the counting to another shares its limits, and follows when that is changed',
  async (t) => {
    const discovery = await startDiscovery(t);
    const discoveryAddress = ['--discoveryAddress', `127.0.0.1:${discovery.grpcPort}`];
    const counting = await startPolicyProcess(t, [
      ...discoveryAddress,
      '--policyConfig',
      await configFile(t, limits(6)),
    ]);
    const transport = { disableCheckCache: true, disableQuotaCache: true };
    const asking = JSON.stringify({ backend: { address: `127.0.0.1:${counting.policyPort}`, transport } });
    const file = await configFile(t, asking);
    const first = await startPolicyProcess(t, [...discoveryAddress, '--policyConfig', file]);
    const second = await startPolicyProcess(t, [...discoveryAddress, '--policyConfig', file]);
    const clients = [counting, first, second].map(({ policyPort }) => connectPolicyClient(t, policyPort));
    for (const { monitoring } of [counting, first, second]) {
      await eventually('it is ready', async () => (await monitoring.get('/ready')).status === 200);
    }
    const asked = Array.from({ length: 8 }, () => clients.map((client) => client.ask(WEB))).flat();
    const answers = await Promise.all(asked);
    t.is(answers.filter((answer) => answer === 200).length, 6);
    t.is(answers.filter((answer) => answer === 429).length, 18);

    await writeWhole(file, limits(2));
    await eventually('it counts by itself', async () => (await clients[1]?.ask(WEB)) === 200);
    t.is(await clients[0]?.ask(WEB), 429);
  },
);

test.serial('it stops well on SIGTERM', async (t) => {
  const discovery = await startDiscovery(t);
  const flags = [
    '--discoveryAddress',
    `127.0.0.1:${discovery.grpcPort}`,
    '--policyConfig',
    await configFile(t, limits(1)),
  ];
  const server = await startPolicyProcess(t, flags);
  const client = connectPolicyClient(t, server.policyPort);
  await eventually('it is ready', async () => (await server.monitoring.get('/ready')).status === 200);
  t.is(await client.ask(WEB), 200);
  const stopwatch = startStopwatch();
  server.process.child.kill('SIGTERM');
  t.deepEqual(await server.process.exited, { code: 0, signal: null });
  t.true(stopwatch.stop() < 9000);
  t.true(server.log().some(({ msg }) => msg === 'policy server has stopped'));
});

test.serial('a port in use ends it with 1 and one line that names the address and the flag', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  for (const flag of ['--policyAddr', '--monitoringAddr']) {
    const server = startPolicyBinary(t, ['--discoveryAddress', '127.0.0.1:1', flag, `127.0.0.1:${port}`]);
    t.deepEqual(await server.exited, { code: 1, signal: null });
    const line = `navigator-policy: cannot listen on 127.0.0.1:${port}: another process uses the port; set another address with ${flag}`;
    t.true(server.lines.includes(line), server.tail());
  }
});

test.serial(
  'a backend whose certificates cannot be read ends the start, and is told while an earlier one holds',
  async (t) => {
    const discovery = await startDiscovery(t);
    const flags = ['--discoveryAddress', `127.0.0.1:${discovery.grpcPort}`];
    const backend = JSON.stringify({ backend: { address: '127.0.0.1:1', tls: { caFile: '/no/such.pem' } } });
    const badFile = await configFile(t, backend);
    const bad = startPolicyBinary(t, [...flags, '--policyConfig', badFile]);
    t.deepEqual(await bad.exited, { code: 1, signal: null });
    const reason = 'backend.tls.caFile: "/no/such.pem": cannot be read: ENOENT';
    t.true(
      bad.lines.some((line) => line.startsWith(`navigator-policy: ${badFile}: ${reason}`)),
      bad.tail(),
    );

    const file = await configFile(t, limits(1));
    const server = await startPolicyProcess(t, [...flags, '--policyConfig', file]);
    const client = connectPolicyClient(t, server.policyPort);
    await eventually('the limit is in force', async () => (await client.ask(WEB).catch(() => 0)) === 429);
    await writeWhole(file, backend);
    const isTold = async () =>
      (await server.monitoring.get('/debug/config_problems')).body.includes(reason.replaceAll('"', '\\"'));
    await eventually('it is told', isTold);
    t.is(await client.ask(WEB), 429, 'the former configuration holds');
    await writeWhole(file, `${backend}\n`);
    await eventually('the file has been read again', async () => server.log().length > 0);
    t.true(await isTold(), 'for as long as it is not in force');
    await writeWhole(file, limits(2));
    await eventually('a file in order is in force', async () => (await client.ask(WEB)) === 200);
    t.false(await isTold());
  },
);

test.serial('a host that services of two namespaces have does not keep the policies from coming', async (t) => {
  const discovery = await startDiscovery(t);
  const entry = (namespace: string) =>
    JSON.stringify({
      apiVersion: 'networking.mesh.internal/v1beta1',
      kind: 'ServiceEntry',
      metadata: { name: 'api', namespace },
      spec: { hosts: ['api.example.com'], ports: [{ number: 80, name: 'http', protocol: 'HTTP' }], resolution: 'DNS' },
    });
  await discovery.folder.write('entries.yaml', documents(entry('one'), entry('two')));
  const flags = [
    '--discoveryAddress',
    `127.0.0.1:${discovery.grpcPort}`,
    '--policyConfig',
    await configFile(t, limits(0)),
  ];
  const server = await startPolicyProcess(t, flags);
  const client = connectPolicyClient(t, server.policyPort);
  await eventually('the host is there', async () =>
    /^policy_discovery_services 2$/m.test((await server.monitoring.get('/metrics')).body),
  );
  t.is(await client.ask(WEB), 429);
  t.notRegex((await server.monitoring.get('/metrics')).body, /result="rejected"/);
});

test.serial('a mesh config that names no policy server gives no policies, and is ready all the same', async (t) => {
  const discovery = await startDiscovery(t);
  await writeWhole(discovery.meshConfigFile, '{}\n');
  await isInForce(discovery, '');
  const flags = [
    '--discoveryAddress',
    `127.0.0.1:${discovery.grpcPort}`,
    '--policyConfig',
    await configFile(t, limits(0)),
  ];
  const server = await startPolicyProcess(t, flags);
  const client = connectPolicyClient(t, server.policyPort);
  await eventually('it is ready', async () => (await server.monitoring.get('/ready')).status === 200);
  await eventually('nothing is in force', async () => (await client.ask(WEB)) === 200);

  await writeWhole(discovery.meshConfigFile, MESH);
  await eventually('the policy is in force', async () => (await client.ask(WEB)) === 429);
  t.is(await client.ask(WEB), 429);
});

test.serial('while its store has never been reached it is not ready; a store that is there makes it so', async (t) => {
  const discovery = await startDiscovery(t);
  const quotas = [{ name: 'requests', maxAmount: 1, validDuration: '1h' }];
  const address = `redis://127.0.0.1:${await findFreePort()}`;
  const file = await configFile(t, JSON.stringify({ quotas, storage: { type: 'redis', address } }));
  const flags = ['--discoveryAddress', `127.0.0.1:${discovery.grpcPort}`, '--policyConfig', file];
  const server = await startPolicyProcess(t, flags);
  const client = connectPolicyClient(t, server.policyPort);
  await eventually(
    'policies have come',
    async () => (await server.monitoring.metric('policy_discovery_services')) === 1,
  );
  t.is((await server.monitoring.get('/ready')).status, 503);
  t.regex((await server.monitoring.get('/debug')).body, /quotas: the store of quotas has not been reached yet/);
  t.is(await client.ask(WEB), 200, 'FAIL_OPEN, which is the default, lets it pass');

  await writeWhole(file, JSON.stringify({ quotas }));
  await eventually('it is ready', async () => (await server.monitoring.get('/ready')).status === 200);
  t.deepEqual([await client.ask(WEB), await client.ask(WEB)], [200, 429]);
});
