import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { eventually } from '../support/eventually.js';
import { startStopwatch } from '../support/stopwatch.js';
import { writeWhole } from '../support/write-whole.js';
import { documents } from './support/manifests.js';
import {
  configFile,
  limits,
  policy,
  startDiscovery,
  startPolicyServer,
  untilReady,
  WEB,
} from './support/policy-mesh.js';
import { startPolicyBinary } from './support/policy-process.js';

test.serial('it enforces the quotas of the mesh exactly, and follows changes of policies and of limits', async (t) => {
  const discovery = await startDiscovery(t);
  const file = await configFile(t, limits(3));
  const { server, client } = await startPolicyServer(t, discovery, file);
  await untilReady(server);

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

test.serial(
  'one that leaves the counting to another shares its limits, and follows when that is changed',
  async (t) => {
    const discovery = await startDiscovery(t);
    const counting = await startPolicyServer(t, discovery, await configFile(t, limits(6)));
    const transport = { disableCheckCache: true, disableQuotaCache: true };
    const asking = JSON.stringify({ backend: { address: `127.0.0.1:${counting.server.policyPort}`, transport } });
    const file = await configFile(t, asking);
    const first = await startPolicyServer(t, discovery, file);
    const second = await startPolicyServer(t, discovery, file);
    const clients = [counting, first, second].map(({ client }) => client);
    for (const { server } of [counting, first, second]) await untilReady(server);
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
  const { server, client } = await startPolicyServer(t, discovery, await configFile(t, limits(1)));
  await untilReady(server);
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
    const { server, client } = await startPolicyServer(t, discovery, file);
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
  const { server, client } = await startPolicyServer(t, discovery, await configFile(t, limits(0)));
  await eventually('the host is there', async () =>
    /^policy_discovery_services 2$/m.test((await server.monitoring.get('/metrics')).body),
  );
  t.is(await client.ask(WEB), 429);
  t.notRegex((await server.monitoring.get('/metrics')).body, /result="rejected"/);
});
