import { status } from '@grpc/grpc-js';
import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../src/policy/client/attribute-bag.js';
import { createGrpcPolicyTransport } from '../../src/policy/remote/grpc-policy-transport.js';
import { findFreePort } from '../counterparts/free-ports.js';
import { HTTP_LOG_ENTRY } from '../policy/server/adapter/envoy-recordings.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { documents, endpoints, service } from './support/manifests.js';
import { connectPolicyClient } from './support/policy-client.js';
import {
  configFile,
  limits,
  MESH,
  startDiscovery,
  startPolicyServer,
  untilInForce,
  untilReady,
  WEB,
} from './support/policy-mesh.js';
import { startPolicyProcess } from './support/policy-process.js';
import { startServer } from './support/running-server.js';

test.serial('until policies have come it is not ready and lets the fail policies of proxies decide', async (t) => {
  const port = await findFreePort();
  const file = await configFile(t, limits(1));
  const { server, client } = await startPolicyServer(t, { grpcPort: port }, file);
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
  await untilReady(server);
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

test.serial('a mesh config that names no policy server gives no policies, and is ready all the same', async (t) => {
  const discovery = await startDiscovery(t);
  await writeWhole(discovery.meshConfigFile, '{}\n');
  await untilInForce(discovery, '');
  const { server, client } = await startPolicyServer(t, discovery, await configFile(t, limits(0)));
  await untilReady(server);
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
  const { server, client } = await startPolicyServer(t, discovery, file);
  await eventually(
    'policies have come',
    async () => (await server.monitoring.metric('policy_discovery_services')) === 1,
  );
  t.is((await server.monitoring.get('/ready')).status, 503);
  t.regex((await server.monitoring.get('/debug')).body, /quotas: the store of quotas has not been reached yet/);
  t.is(await client.ask(WEB), 200, 'FAIL_OPEN, which is the default, lets it pass');

  await writeWhole(file, JSON.stringify({ quotas }));
  await untilReady(server);
  t.deepEqual([await client.ask(WEB), await client.ask(WEB)], [200, 429]);
});
