import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createGrpcServer } from '../../../src/xds/grpc-server.js';
import type { XdsLimits } from '../../../src/xds/limits/xds-limits.js';
import type { ProxySession } from '../../../src/xds/proxy-session.js';
import { eventually } from '../../support/eventually.js';
import { loopbackListener } from '../../support/grpc-listener.js';
import { pushRequest } from '../../support/push-requests.js';
import { connectClient, type DiscoveryClient } from '../grpc-client.js';
import { ADS } from '../rig-server.js';
import { createRig } from '../session-rig.js';

const registry = loadProtoRegistry();
const REQUEST = registry.type('envoy.service.status.v3.ClientStatusRequest');
const RESPONSE = registry.type('envoy.service.status.v3.ClientStatusResponse');
const FETCH = '/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus';
const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';

interface Resource {
  readonly name: string;
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly configStatus: string;
  readonly clientStatus: string;
  readonly xdsConfig?: { readonly value: Buffer };
  readonly errorState?: { readonly details: string };
}

interface Config {
  readonly node: { readonly id: string };
  readonly clientScope: string;
  readonly genericXdsConfigs: readonly Resource[];
}

/** A server whose sessions the status service sees; asks for their status as a client does. */
async function startStatusServer(t: ExecutionContext, limits: Partial<XdsLimits> = {}) {
  const rig = createRig({ limits });
  const sessions = new Map<string, ProxySession>();
  const connections = {
    ids: () => [...sessions.keys()],
    find: (id: string) => sessions.get(id),
  };
  const environment = {
    ...rig.environment,
    connections,
    register: (session: ProxySession) => {
      rig.environment.register(session);
      sessions.set(session.id, session);
    },
  };
  const hooks = { closed: rig.distributor.remove };
  const server = createGrpcServer(loopbackListener(), environment, hooks, rig.logger);
  const port = await server.start();
  t.teardown(() => server.stop(1000));
  const ask = (request: object = {}): Promise<readonly Config[]> =>
    new Promise((resolve, reject) => {
      const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
      client.makeUnaryRequest(
        FETCH,
        (value: object) => Buffer.from(REQUEST.encode(REQUEST.fromObject(value)).finish()),
        (bytes: Buffer) => RESPONSE.toObject(RESPONSE.decode(bytes), { enums: String, arrays: true }),
        request,
        (error, response) => {
          client.close();
          if (error) reject(error);
          else resolve((response as unknown as { config: readonly Config[] }).config);
        },
      );
    });
  const connect = (node = NODE): DiscoveryClient => {
    const client = connectClient(port, ADS);
    t.teardown(() => client.close());
    client.send({ node, typeUrl: TypeUrl.cluster });
    return client;
  };
  return { rig, ask, connect, port };
}

type Asked = Awaited<ReturnType<typeof startStatusServer>>['ask'];

/** Waits until the clusters of the only proxy have these states. */
async function haveStates(ask: Asked, wanted: string): Promise<readonly Resource[]> {
  let resources: readonly Resource[] = [];
  await eventually(`the states ${wanted}`, async () => {
    resources = (await ask())[0]?.genericXdsConfigs ?? [];
    return (
      resources.map(({ name, configStatus, clientStatus }) => `${name} ${configStatus} ${clientStatus}`).join() ===
      wanted
    );
  });
  return resources;
}

test('a resource is stale until the proxy acknowledges it, then synced', async (t) => {
  const { ask, connect } = await startStatusServer(t);
  const client = connect();
  const { nonce, version } = await client.response(0);
  await haveStates(ask, 'a STALE REQUESTED,b STALE REQUESTED');
  client.send({ typeUrl: TypeUrl.cluster, nonce, version });
  const [first] = await haveStates(ask, 'a SYNCED ACKED,b SYNCED ACKED');
  t.is(first?.typeUrl, TypeUrl.cluster);
  t.not(first?.versionInfo, '');
  t.is(first?.xdsConfig?.value.toString(), 'a=1');
});

test('a rejected resource has the reason, and its neighbours stay synced', async (t) => {
  const { rig, ask, connect } = await startStatusServer(t);
  const client = connect();
  const first = await client.response(0);
  client.send({ typeUrl: TypeUrl.cluster, nonce: first.nonce, version: first.version });
  await haveStates(ask, 'a SYNCED ACKED,b SYNCED ACKED');
  rig.content.clusters = { a: '2', b: '1' };
  rig.distributor.submit(pushRequest());
  rig.clock.advance(0);
  const second = await client.response(1);
  client.send({ typeUrl: TypeUrl.cluster, nonce: second.nonce, version: first.version, error: 'bad cluster' });
  const [rejected] = await haveStates(ask, 'a ERROR NACKED,b SYNCED ACKED');
  t.regex(rejected?.errorState?.details ?? '', /bad cluster/);
});

test('a change that waits for an acknowledgement is not sent yet', async (t) => {
  const { rig, ask, connect } = await startStatusServer(t);
  const client = connect();
  await client.response(0);
  rig.content.clusters = { a: '1', b: '2' };
  rig.distributor.submit(pushRequest());
  rig.clock.advance(0);
  await haveStates(ask, 'a STALE REQUESTED,b NOT_SENT REQUESTED');
  t.pass();
});

test('proxies are selected by their id and metadata, and each has its connection', async (t) => {
  const { ask, connect } = await startStatusServer(t);
  const other = 'sidecar~10.0.0.2~other.ns~ns.svc.cluster.local';
  await Promise.all([connect().response(0), connect(other).response(0)]);
  const idsFor = async (...matchers: object[]) =>
    (await ask({ nodeMatchers: matchers })).map(({ node }) => node.id).sort();
  t.deepEqual(await idsFor(), [NODE, other]);
  t.deepEqual(await idsFor({ nodeId: { prefix: 'SIDECAR~10.0.0.2', ignoreCase: true } }), [other]);
  t.deepEqual(await idsFor({ nodeId: { exact: NODE } }, { nodeId: { contains: '~other.' } }), [NODE, other]);
  const ofNamespace = (text: string) => ({
    nodeMetadatas: [{ path: [{ key: 'NAMESPACE' }], value: { stringMatch: { exact: text } } }],
  });
  t.deepEqual(await idsFor(ofNamespace('ns')), [NODE, other]);
  t.deepEqual(await idsFor(ofNamespace('else')), []);
  const [first] = await ask({ nodeMatchers: [{ nodeId: { exact: NODE } }] });
  t.regex(first?.clientScope ?? '', /~ns\.svc\.cluster\.local-\d+$/);
});

test('contents are left out on request', async (t) => {
  const { ask, connect } = await startStatusServer(t);
  await connect().response(0);
  const [config] = await ask({ excludeResourceContents: true });
  t.deepEqual(
    config?.genericXdsConfigs.map(({ xdsConfig }) => xdsConfig),
    [undefined, undefined],
  );
});

test('a regular expression is refused with the forms that are supported', async (t) => {
  const { ask } = await startStatusServer(t);
  const error = await t.throwsAsync<ServiceError>(ask({ nodeMatchers: [{ nodeId: { safeRegex: { regex: 'a' } } }] }));
  t.is(error?.code, status.INVALID_ARGUMENT);
  t.regex(error?.details ?? '', /exact, prefix, suffix and contains/);
});

for (const [what, nodeMatchers, reason] of [
  ['many matchers', Array.from({ length: 101 }, () => ({})), /more than 100 items/],
  [
    'long matchers',
    Array.from({ length: 2 }, () => ({ nodeId: { exact: 'x'.repeat(40_000) } })),
    /more than 65536 bytes/,
  ],
] as const) {
  test(`a request with too ${what} is refused`, async (t) => {
    const { ask } = await startStatusServer(t);
    const error = await t.throwsAsync<ServiceError>(ask({ nodeMatchers }));
    t.is(error?.code, status.INVALID_ARGUMENT);
    t.regex(error?.details ?? '', reason);
  });
}

test('an answer that is too large is refused with the setting and a remedy', async (t) => {
  const { ask, connect } = await startStatusServer(t, { clientStatusBytes: 100 });
  await connect().response(0);
  const error = await t.throwsAsync<ServiceError>(ask());
  t.is(error?.code, status.RESOURCE_EXHAUSTED);
  t.regex(error?.details ?? '', /node_matchers.*NAV_XDS_CLIENT_STATUS_MAX_BYTES/);
});

test('a call without a request ends in time, as discovery streams do', async (t) => {
  const { rig, port } = await startStatusServer(t, { firstRequestMs: 1_000 });
  const client = connectClient(port, FETCH.replace('Fetch', 'Stream'));
  t.teardown(() => client.close());
  await eventually('the end of the wait', () => {
    rig.clock.advance(rig.environment.limits.firstRequestMs);
    return client.error !== undefined;
  });
  const { code, details } = await client.ended();
  t.is(code, status.DEADLINE_EXCEEDED, details);
});
