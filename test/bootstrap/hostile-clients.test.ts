import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../support/eventually.js';
import fc from '../support/property-testing.js';
import { connectClient } from '../xds/grpc-client.js';
import { discoveryRequest } from '../xds/session-rig.js';
import { openUnreadStream } from '../xds/unread-stream.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import { type RunningServer, startServer } from './support/running-server.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const WEB = 'outbound|80||web.shop.svc.cluster.local';
const MESH = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };
const passThrough = (bytes: Buffer): Buffer => bytes;

/** Sends bytes as the first message of a stream and says how it ends: served, or the code of its refusal. */
function exchange(client: Client, message: Buffer): Promise<'served' | status> {
  return new Promise((resolve) => {
    const call = client.makeBidiStreamRequest(ADS, passThrough, passThrough);
    call.on('error', ({ code }: ServiceError) => resolve(code));
    call.on('data', () => {
      resolve('served');
      call.cancel();
    });
    call.write(message);
    // A well-formed request for something that is not served is not answered: the end of the requests ends the stream.
    call.end();
    call.on('end', () => resolve(status.OK));
  });
}

async function isServed(t: Parameters<typeof startServer>[0], server: RunningServer): Promise<boolean> {
  const proxy = await connectProxy(t, server, sidecar('10.0.0.250'));
  return proxy.namesOf(TypeUrl.cluster).includes(WEB);
}

test('after any first bytes the stream is served or rejected with a reason, and the server goes on', async (t) => {
  const server = await startServer(t, { files: MESH });
  const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const valid = discoveryRequest({ node: sidecar().id, typeUrl: TypeUrl.endpoint, names: [WEB], nonce: '' });
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array)),
    fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 }).map((changes) => {
      const changed = Buffer.from(valid);
      for (const [at, value] of changes) changed[at] = value;
      return changed;
    }),
    fc.nat(valid.length).map((length) => valid.subarray(0, length)),
  );
  const allowed: readonly unknown[] = ['served', status.OK, status.INVALID_ARGUMENT];
  await fc.assert(
    fc.asyncProperty(bytes, async (message) => allowed.includes(await exchange(client, message))),
    { numRuns: 300 },
  );
  t.true(await isServed(t, server));
  t.is(await server.http.metric('nav_total_xds_internal_errors'), 0);
});

test('hundreds of proxies connect and disconnect without a trace in memory', async (t) => {
  const server = await startServer(t, { files: MESH });
  const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const churn = Array.from({ length: 500 }, (_, index) =>
    exchange(
      client,
      discoveryRequest({ node: sidecar(`10.1.${index >> 8}.${index & 255}`).id, typeUrl: TypeUrl.cluster }),
    ),
  );
  t.deepEqual(new Set(await Promise.all(churn)), new Set(['served']));
  await eventually('all are gone', async () => (await server.http.metric('nav_xds{version="unknown"}')) === 0);
  t.deepEqual(await server.http.json('/debug/syncz'), []);
  t.true(await isServed(t, server));
});

test('a client that asks for tens of thousands of names that do not exist gets an answer, and others are served on', async (t) => {
  const server = await startServer(t, { files: MESH });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  const bogus = Array.from({ length: 20_000 }, (_, index) => `outbound|80||no-${index}.example.com`);
  client.send({ node: sidecar().id, typeUrl: TypeUrl.endpoint, names: [...bogus, WEB] });
  client.send({ typeUrl: TypeUrl.route, names: bogus });
  t.is((await client.response(1)).typeUrl, TypeUrl.route);
  t.true(await isServed(t, server));
  t.is(await server.http.metric('nav_eds_no_instances'), 0);
});

test('a client that asks without end and never reads holds one response', async (t) => {
  const server = await startServer(t, { files: MESH });
  const request = { node: sidecar().id, typeUrl: TypeUrl.cluster };
  const flood = await openUnreadStream(server.grpcPort, ADS, request, 20_000);
  t.teardown(() => flood.destroy());
  const proxy = await connectProxy(t, server, sidecar('10.0.0.2'));
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  await eventually('another proxy is served', () =>
    proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'),
  );
  t.is(await server.http.metric('nav_xds_pushes{type="cds"}'), 1 + proxy.responsesOf(TypeUrl.cluster));
});

test('a subscription that changes often ends with the names of its last request', async (t) => {
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const files = Object.fromEntries(
    names.map((name, index) => [
      `${name}.yaml`,
      documents(service(name, { clusterIP: `10.96.1.${index}` }), endpoints(name, '10.0.0.7')),
    ]),
  );
  const server = await startServer(t, { files });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  const cluster = (name: string): string => `outbound|80||${name}.shop.svc.cluster.local`;
  client.send({ node: sidecar().id, typeUrl: TypeUrl.endpoint, names: [cluster('s0')] });
  for (let turn = 0; turn < 40; turn++) {
    const { nonce, version } = await client.response(turn);
    const wanted = cluster(names[turn % 2 === 0 ? 1 : 0] as string);
    client.send({ typeUrl: TypeUrl.endpoint, names: [], nonce, version });
    client.send({ typeUrl: TypeUrl.endpoint, names: [wanted], nonce, version });
  }
  const last = await client.response(40);
  t.is(last.bodies.length, 1);
  t.true(last.bodies[0]?.includes(cluster('s0')));
});
