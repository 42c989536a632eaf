import { Client, credentials, status } from '@grpc/grpc-js';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import type { GrpcListenerSettings } from '../../src/net/grpc-listener.js';
import { DISCOVERY_METHODS } from '../../src/xds/discovery-services.js';
import { createGrpcServer } from '../../src/xds/grpc-server.js';
import { eventually } from '../support/eventually.js';
import { pushRequest } from '../support/push-requests.js';
import { connectClient } from './grpc-client.js';
import { createRig, discoveryRequest, readResponse } from './session-rig.js';
import { openUnreadStream } from './unread-stream.js';

const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';
const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

const settings: GrpcListenerSettings = {
  host: '127.0.0.1',
  port: 0,
  keepaliveIntervalMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  maxConnectionAgeMs: 2562047 * 3_600_000,
  maxConcurrentStreams: 100_000,
  maxReceiveMessageBytes: 4_194_304,
};

async function startServer(overrides: Partial<GrpcListenerSettings> = {}) {
  const rig = createRig();
  const closed: unknown[] = [];
  const server = createGrpcServer(
    { ...settings, ...overrides },
    rig.environment,
    {
      closed: (session) => {
        closed.push(session);
        rig.distributor.remove(session);
      },
    },
    rig.logger,
  );
  const port = await server.start();
  return { rig, server, port, closed };
}

async function unary(port: number, path: string, request: Buffer): Promise<{ code: number; response?: Buffer }> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, request, (error, response) => {
      client.close();
      resolve(error ? { code: error.code } : { code: 0, ...(response === undefined ? {} : { response }) });
    });
  });
}

test('a proxy subscribes, acknowledges and is pushed to over real gRPC', async (t) => {
  const { rig, server, port } = await startServer();
  const client = connectClient(port, ADS);
  client.send({ node: NODE, typeUrl: TypeUrl.cluster });
  const first = await client.response(0);
  t.deepEqual(first.bodies, ['a=1', 'b=1']);
  client.send({ typeUrl: TypeUrl.cluster, nonce: first.nonce, version: first.version });
  rig.content.clusters = { a: '2' };
  await eventually('the acknowledgement', () =>
    [...rig.sessions].some((session) => session.snapshot()?.watches.get(TypeUrl.cluster)?.ackedNonce === first.nonce),
  );
  rig.distributor.submit(pushRequest());
  rig.clock.advance(0);
  t.deepEqual((await client.response(1)).bodies, ['a=2']);
  client.close();
  await server.stop(1000);
});

test('a peer that is rejected repeatedly is logged once', async (t) => {
  const { rig, server, port } = await startServer();
  for (let count = 0; count < 5; count++) {
    const client = connectClient(port, ADS);
    client.send({ typeUrl: TypeUrl.cluster });
    await client.ended();
    client.close();
  }
  t.is(rig.logger.records.filter(({ message }) => message === 'stream refused').length, 1);
  await server.stop(1000);
});

for (const { service, method, onlyType } of DISCOVERY_METHODS) {
  // test/xds/delta has the delta methods; those of fetches follow below.
  if (!method.startsWith('Stream')) continue;
  test(`${service} answers ${method}`, async (t) => {
    const { server, port } = await startServer();
    const client = connectClient(port, `/${service}/${method}`);
    if (onlyType === TypeUrl.listener) {
      // The rig serves no listeners: the stream stays open and is told nothing.
      client.send({ node: NODE });
      client.send({ typeUrl: TypeUrl.cluster });
      t.regex((await client.ended()).details, /^invalid type .*Cluster, expected /);
    } else {
      client.send({
        node: NODE,
        names: onlyType === undefined || onlyType === TypeUrl.cluster ? [] : ['a'],
        typeUrl: onlyType ?? TypeUrl.cluster,
      });
      t.is((await client.response(0)).typeUrl, onlyType ?? TypeUrl.cluster);
    }
    client.close();
    await server.stop(1000);
  });
}

test('a request without a node ends the stream with INVALID_ARGUMENT and its reason', async (t) => {
  const { server, port } = await startServer();
  const client = connectClient(port, ADS);
  client.send({ typeUrl: TypeUrl.cluster });
  const error = await client.ended();
  t.is(error.code, status.INVALID_ARGUMENT);
  t.regex(error.details, /^missing node ID/);
  client.close();
  await server.stop(1000);
});

test('a client that ends its side right after its requests is answered, and then the stream ends with OK', async (t) => {
  const { server, port } = await startServer();
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  const call = client.makeBidiStreamRequest(ADS, same, same);
  const types: string[] = [];
  call.on('data', (message: Buffer) => types.push(readResponse(message).typeUrl));
  const ended = new Promise<number>((resolve) => call.on('status', ({ code }) => resolve(code)));
  call.write(discoveryRequest({ node: NODE, typeUrl: TypeUrl.cluster }));
  call.write(discoveryRequest({ typeUrl: TypeUrl.endpoint, names: ['a'] }));
  call.end();
  t.is(await ended, status.OK);
  t.deepEqual(types, [TypeUrl.cluster, TypeUrl.endpoint]);
  client.close();
  await server.stop(1000);
});

const FETCH = '/envoy.service.cluster.v3.ClusterDiscoveryService/FetchClusters';

test('D29: a fetch is answered with all resources, and the caller is no proxy afterwards', async (t) => {
  const { server, port, closed } = await startServer();
  const { code, response } = await unary(port, FETCH, discoveryRequest({ node: NODE }));
  t.is(code, status.OK);
  t.deepEqual(readResponse(response as Buffer).bodies, ['a=1', 'b=1']);
  await eventually('the session has ended', () => closed.length === 1);
  await server.stop(1000);
});

test('a fetch of a type that the server does not have is answered with a reason', async (t) => {
  const { server, port } = await startServer();
  const path = '/envoy.service.listener.v3.ListenerDiscoveryService/FetchListeners';
  t.is((await unary(port, path, discoveryRequest({ node: NODE }))).code, status.UNIMPLEMENTED);
  await server.stop(1000);
});

test('a fetch without a node is refused', async (t) => {
  const { server, port } = await startServer();
  t.is((await unary(port, FETCH, discoveryRequest({}))).code, status.INVALID_ARGUMENT);
  await server.stop(1000);
});

test('a message above MESH_GPRC_MAXRECVMSGSIZE ends its stream and no other', async (t) => {
  const { server, port } = await startServer({ maxReceiveMessageBytes: 1000 });
  const [big, small] = [connectClient(port, ADS), connectClient(port, ADS)];
  big.send({ node: NODE, typeUrl: TypeUrl.cluster, names: ['x'.repeat(2000)] });
  t.is((await big.ended()).code, status.RESOURCE_EXHAUSTED);
  small.send({ node: NODE, typeUrl: TypeUrl.cluster });
  t.is((await small.response(0)).typeUrl, TypeUrl.cluster);
  big.close();
  small.close();
  await server.stop(1000);
});

test('the health service says SERVING only once the server does', async (t) => {
  const { server, port } = await startServer();
  const check = () => unary(port, '/grpc.health.v1.Health/Check', Buffer.alloc(0));
  t.deepEqual((await check()).response, Buffer.from([0x08, 2]));
  server.setServing();
  t.deepEqual((await check()).response, Buffer.from([0x08, 1]));
  await server.stop(1000);
});

for (const version of ['v1', 'v1alpha']) {
  test(`reflection ${version} lists every discovery service, in each of several answers`, async (t) => {
    const { server, port } = await startServer();
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const same = (bytes: Buffer): Buffer => bytes;
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
    const call = client.makeBidiStreamRequest(path, same, same);
    const answers: string[] = [];
    let ended = false;
    call.on('data', (bytes: Buffer) => answers.push(bytes.toString('latin1')));
    call.on('end', () => {
      ended = true;
    });
    // ServerReflectionRequest{list_services: ""}, twice
    call.write(Buffer.from([0x3a, 0x00]));
    call.write(Buffer.from([0x3a, 0x00]));
    await eventually('both answers', () => answers.length === 2);
    for (const { service } of DISCOVERY_METHODS) {
      for (const listed of answers) t.true(listed.includes(service), service);
    }
    call.end();
    await eventually('the end of the stream', () => ended);
    client.close();
    await server.stop(1000);
  });
}

test('a port in use is an error that names the address', async (t) => {
  const { server, port } = await startServer();
  const error = await t.throwsAsync(startServer({ port }));
  t.regex(error?.message ?? '', new RegExp(`127\\.0\\.0\\.1:${port}`));
  await server.stop(1000);
});

test('a stop ends open streams with UNAVAILABLE, well before the grace is over', async (t) => {
  const { server, port } = await startServer();
  const client = connectClient(port, ADS);
  client.send({ node: NODE, typeUrl: TypeUrl.cluster });
  await client.response(0);
  const startMs = performance.now();
  const stopped = server.stop(60_000);
  const error = await client.ended();
  t.is(error.code, status.UNAVAILABLE);
  t.is(error.details, 'server is shutting down');
  client.close();
  await stopped;
  t.true(performance.now() - startMs < 30_000);
});

test('a server that is not scheduled while it stops tells its peers the reason all the same', async (t) => {
  const { server, port } = await startServer();
  const client = connectClient(port, ADS);
  client.send({ node: NODE, typeUrl: TypeUrl.cluster });
  await client.response(0);
  const stopped = server.stop(200);
  // Longer than peers get to close their connections.
  const startMs = performance.now();
  while (performance.now() - startMs < 1000);
  t.is((await client.ended()).details, 'server is shutting down');
  client.close();
  await stopped;
});

test('a real client that never reads holds one response, and a healthy one is pushed to meanwhile', async (t) => {
  const { rig, server, port } = await startServer();
  rig.content.clusters = { a: 'x'.repeat(1 << 20) };
  rig.distributor.pushAll('debug');
  const stuck = await openUnreadStream(port, ADS, { node: NODE, typeUrl: TypeUrl.cluster });
  const healthy = connectClient(port, ADS);
  healthy.send({ node: NODE, typeUrl: TypeUrl.cluster });
  await healthy.response(0);
  for (let change = 1; change <= 20; change++) {
    const { nonce } = await healthy.response(change - 1);
    healthy.send({ typeUrl: TypeUrl.cluster, nonce });
    rig.content.clusters = { a: String(change).repeat(1 << 19) };
    rig.distributor.pushAll('debug');
    t.is((await healthy.response(change)).bodies[0]?.[2], String(change)[0]);
  }
  t.is(rig.sessions.size, 2);
  // One response for the stuck stream, whatever happened since; twenty-one for the other.
  t.is(rig.counts['pushed cds'], 1 + 21);
  stuck.destroy();
  healthy.close();
  await server.stop(1000);
});
