import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../support/eventually.js';
import { pushRequest } from '../support/push-requests.js';
import { connectClient, type DiscoveryClient } from './grpc-client.js';
import { ADS, type RigServer, startRigServer } from './rig-server.js';
import type { ReadResponse } from './session-rig.js';

const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';

interface Connected extends RigServer {
  readonly client: DiscoveryClient;
  /** Changes clusters and the table of the route `a`. */
  change(clusters: Record<string, string>, table: string): void;
  /** Waits for the next response, and returns its type and bodies. */
  next(): Promise<ReadResponse>;
  acknowledge(response: ReadResponse, names?: readonly string[]): void;
}

/** A proxy with the clusters a and b and the route table a, all acknowledged. */
async function connect(t: ExecutionContext): Promise<Connected> {
  const server = await startRigServer(t);
  const client = connectClient(server.port, ADS);
  t.teardown(() => client.close());
  let read = 0;
  const connected: Connected = {
    ...server,
    client,
    change: (clusters, table) => {
      server.content.clusters = clusters;
      server.content.routes = { a: table };
      server.distributor.submit(pushRequest({ changed: 'everything' }));
      server.clock.advance(0);
    },
    next: () => client.response(read++),
    acknowledge: ({ typeUrl, nonce }, names = []) => client.send({ typeUrl, names, nonce }),
  };
  client.send({ node: NODE, typeUrl: TypeUrl.cluster });
  connected.acknowledge(await connected.next());
  client.send({ typeUrl: TypeUrl.route, names: ['a'] });
  connected.acknowledge(await connected.next(), ['a']);
  await isAcknowledged(server, 2);
  return connected;
}

async function isAcknowledged({ sessions }: RigServer, types: number): Promise<void> {
  await eventually('all types are acknowledged', () => {
    const watches = [...([...sessions][0]?.snapshot()?.watches.values() ?? [])];
    return watches.length === types && watches.every(({ sentNonce, ackedNonce }) => sentNonce === ackedNonce);
  });
}

/** All that was sent on the way is read: another request is answered after it. */
async function nothingFollows(t: ExecutionContext, { client, next }: Connected): Promise<void> {
  client.send({ typeUrl: TypeUrl.endpoint, names: ['no-such-name'] });
  const { typeUrl } = await next();
  t.is(typeUrl, TypeUrl.endpoint);
}

const asText = ({ typeUrl, bodies }: ReadResponse): string =>
  `${typeUrl.slice(typeUrl.lastIndexOf('.') + 1)} ${bodies.join(' ')}`;

test('a route to a new cluster is sent when the proxy has acknowledged the cluster', async (t) => {
  const connected = await connect(t);
  const { change, next, acknowledge } = connected;
  change({ a: '1', b: '1', c: '1' }, 'to c');
  const clusters = await next();
  t.is(asText(clusters), 'Cluster a=1 b=1 c=1');
  await nothingFollows(t, connected);
  acknowledge(clusters);
  t.is(asText(await next()), 'RouteConfiguration a=to c');
});

test('a route is sent at once when no cluster is new', async (t) => {
  const { change, next } = await connect(t);
  change({ a: '2', b: '1' }, 'changed');
  t.is(asText(await next()), 'Cluster a=2 b=1');
  t.is(asText(await next()), 'RouteConfiguration a=changed');
});

test('a route waits for the clusters of its configuration while the proxy has not answered older ones', async (t) => {
  const connected = await connect(t);
  const { sessions, change, next, acknowledge } = connected;
  change({ a: '2', b: '1' }, 'changed');
  const older = await next();
  t.is(asText(older), 'Cluster a=2 b=1');
  const route = await next();
  acknowledge(route, ['a']);
  await eventually('the route is acknowledged', () => {
    return [...sessions][0]?.snapshot()?.watches.get(TypeUrl.route)?.ackedNonce === route.nonce;
  });
  change({ a: '2', b: '1', c: '1' }, 'to c');
  await nothingFollows(t, connected);
  acknowledge(older);
  const newer = await next();
  t.is(asText(newer), 'Cluster a=2 b=1 c=1');
  acknowledge(newer);
  t.is(asText(await next()), 'RouteConfiguration a=to c');
});

test('a cluster leaves the proxy after the route that used it', async (t) => {
  const { change, next } = await connect(t);
  change({ a: '1' }, 'without b');
  t.is(asText(await next()), 'RouteConfiguration a=without b');
  t.is(asText(await next()), 'Cluster a=1');
});

test('a cluster in place of another: first both, then the route, then the new one alone', async (t) => {
  const { change, next, acknowledge } = await connect(t);
  change({ a: '1', c: '1' }, 'to c');
  const both = await next();
  t.is(asText(both), 'Cluster a=1 b=1 c=1');
  acknowledge(both);
  t.is(asText(await next()), 'RouteConfiguration a=to c');
  t.is(asText(await next()), 'Cluster a=1 c=1');
});

test('a rejected cluster does not hold up the routes', async (t) => {
  const { client, change, next } = await connect(t);
  change({ a: '1', b: '1', c: 'bad' }, 'to c');
  const { typeUrl, nonce } = await next();
  client.send({ typeUrl, nonce, error: 'bad cluster' });
  t.is(asText(await next()), 'RouteConfiguration a=to c');
});

test('clusters that were rejected beside old ones are not sent again without these', async (t) => {
  const connected = await connect(t);
  const { client, change, next, acknowledge } = connected;
  change({ a: '1', c: 'bad' }, 'to c');
  const both = await next();
  t.is(asText(both), 'Cluster a=1 b=1 c=bad');
  client.send({ typeUrl: TypeUrl.cluster, nonce: both.nonce, error: 'bad cluster' });
  const routes = await next();
  t.is(asText(routes), 'RouteConfiguration a=to c');
  acknowledge(routes, ['a']);
  await nothingFollows(t, connected);
  change({ a: '1', c: 'good' }, 'to c');
  const corrected = await next();
  t.is(asText(corrected), 'Cluster a=1 b=1 c=good');
  acknowledge(corrected);
  t.is(asText(await next()), 'Cluster a=1 c=good');
});

test('a cluster that the proxy never acknowledges holds up the routes for the limit only', async (t) => {
  const connected = await connect(t);
  const { clock, change, next, client } = connected;
  change({ a: '1', b: '1', c: '1' }, 'to c');
  t.is(asText(await next()), 'Cluster a=1 b=1 c=1');
  await nothingFollows(t, connected);
  const before = client.responses.length;
  await eventually('the routes', () => {
    clock.advance(15_000);
    return client.responses.length > before;
  });
  t.is(asText(await next()), 'RouteConfiguration a=to c');
});

test('a change while clusters wait for their acknowledgement is sent with the routes', async (t) => {
  const connected = await connect(t);
  const { change, next, acknowledge } = connected;
  change({ a: '1', b: '1', c: '1' }, 'to c');
  const clusters = await next();
  change({ a: '1', b: '1', c: '1' }, 'to c and a');
  await nothingFollows(t, connected);
  acknowledge(clusters);
  t.is(asText(await next()), 'RouteConfiguration a=to c and a');
});

test('the endpoints of a cluster that leaves are not emptied', async (t) => {
  const connected = await connect(t);
  const { client, content, change, next, acknowledge } = connected;
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'] });
  const endpoints = await next();
  t.is(asText(endpoints), 'ClusterLoadAssignment a=1 b=1');
  acknowledge(endpoints, ['a', 'b']);
  await isAcknowledged(connected, 3);
  content.endpoints = { a: '2' };
  change({ a: '1' }, 'without b');
  t.is(asText(await next()), 'ClusterLoadAssignment a=2');
  t.is(asText(await next()), 'RouteConfiguration a=without b');
  t.is(asText(await next()), 'Cluster a=1');
});
