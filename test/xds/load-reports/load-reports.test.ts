import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { inOneStep } from '../../../src/base/steps.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import type { XdsLimits } from '../../../src/xds/limits/xds-limits.js';
import { createLoadRecorder } from '../../../src/xds/load-reports/load-recorder.js';
import { readNode } from '../../../src/xds/node-wire.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { startRigServer } from '../rig-server.js';
import { proxyOf } from '../session-rig.js';

const registry = loadProtoRegistry();
const REQUEST = registry.type('envoy.service.load_stats.v3.LoadStatsRequest');
const RESPONSE = registry.type('envoy.service.load_stats.v3.LoadStatsResponse');
const PATH = '/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats';
const NODE = { id: 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local' };
const WEB = 'outbound|80||web.default.svc.cluster.local';

function report(clusterStats: readonly object[], node: object | undefined = NODE): Buffer {
  return Buffer.from(REQUEST.encode(REQUEST.fromObject({ node, clusterStats })).finish());
}

const load = (numbers: object, clusterName = WEB, more: object = {}): object => ({
  clusterName,
  upstreamLocalityStats: [{ locality: { region: 'r', zone: 'z' }, ...numbers }],
  ...more,
});

interface LoadClient {
  readonly messages: readonly Buffer[];
  sendBytes(request: Buffer): void;
  ended(): Promise<ServiceError>;
  close(): void;
}

function connectLoadClient(port: number): LoadClient {
  const same = (bytes: Buffer): Buffer => bytes;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(PATH, same, same);
  const messages: Buffer[] = [];
  let error: ServiceError | undefined;
  call.on('data', (message: Buffer) => messages.push(message));
  call.on('error', (failure: ServiceError) => {
    error = failure;
  });
  return {
    messages,
    sendBytes: (request) => void call.write(request),
    ended: async () => {
      await eventually('the end of the stream', () => error !== undefined);
      return error as ServiceError;
    },
    close: () => {
      call.cancel();
      client.close();
    },
  };
}

const serviceOf = (name: string, ports = [80]) =>
  [
    `${name}.default.svc.cluster.local`,
    { hostname: `${name}.default.svc.cluster.local`, namespace: 'default', ports: ports.map((number) => ({ number })) },
  ] as const;

const endpointsIn = (locality: string) => ({ namespace: 'default', shards: new Map([['k/c', [{ locality }]]]) });

/** Services by host; the namespace `ns` sees a rule with a subset. */
function contextOf({ services, endpoints }: { readonly services: object; readonly endpoints: object }): PushContext {
  return {
    ...{ servicesByHost: services, shadowedByHost: new Map(), endpoints },
    destinationRules: {
      visibleFrom: (namespace: string) => ({
        ruleOf: () => (namespace === 'ns' ? { subsets: [{ name: 'v1' }] } : undefined),
      }),
    },
  } as unknown as PushContext;
}

async function startLoadServer(t: ExecutionContext, maxSeries = 10, limits: Partial<XdsLimits> = {}) {
  const prometheus = new Registry();
  const counts = { met: 0 };
  const clock = createFakeClock();
  const services = new Map([serviceOf('web')]);
  const endpoints = new Map([['web.default.svc.cluster.local', endpointsIn('r/z')]]);
  const loads = createLoadRecorder({
    metrics: createMetrics(prometheus),
    logger: createRecordingLogger(),
    clock,
    intervalMs: 2_500,
    maxSeries,
    context: () => contextOf({ services, endpoints }),
    limitMet: () => {
      counts.met++;
    },
  });
  const rig = await startRigServer(t, { limits }, { loads, readProxy: (node) => proxyOf(readNode(node).id) });
  const connect = (): LoadClient => {
    const client = connectLoadClient(rig.port);
    t.teardown(client.close);
    return client;
  };
  const has = async (...lines: readonly string[]): Promise<void> => {
    await eventually(`the metrics ${lines.join()}`, async () => {
      const text = await prometheus.metrics();
      return lines.every((line) => text.includes(`nav_load_requests_${line}\n`));
    });
  };
  return { connect, has, counts, clock, services, rig, text: () => prometheus.metrics() };
}

test('the server asks for the load of all clusters, at its interval', async (t) => {
  const { connect } = await startLoadServer(t);
  const client = connect();
  client.sendBytes(report([]));
  await eventually('the answer', () => client.messages.length === 1);
  const answer = RESPONSE.toObject(RESPONSE.decode(client.messages[0] as Buffer), { longs: Number });
  t.deepEqual(answer, { sendAllClusters: true, loadReportingInterval: { seconds: 2, nanos: 500_000_000 } });
});

test('reports are added up by cluster and locality, and the requests of a proxy that is gone are no longer in progress', async (t) => {
  const { connect, has } = await startLoadServer(t);
  const [first, second] = [connect(), connect()];
  const numbers = {
    totalIssuedRequests: 5,
    totalSuccessfulRequests: 3,
    totalErrorRequests: 1,
    totalRequestsInProgress: 1,
  };
  const dropped = { totalDroppedRequests: 4, droppedRequests: [{ category: 'lb', droppedCount: 3 }] };
  first.sendBytes(report([load(numbers, WEB, dropped)]));
  second.sendBytes(report([load({ ...numbers, totalRequestsInProgress: 7 })]));
  const labels = `{cluster="${WEB}",locality="r/z"}`;
  await has(`issued${labels} 10`, `succeeded${labels} 6`, `failed${labels} 2`, `in_progress${labels} 8`);
  await has(`dropped{cluster="${WEB}",category="other"} 4`);
  first.sendBytes(report([load({ totalIssuedRequests: 1, totalRequestsInProgress: 2 })]));
  await has(`issued${labels} 11`, `in_progress${labels} 9`);
  second.close();
  await has(`in_progress${labels} 2`);
  t.pass();
});

test('ports, subsets and localities that a known service does not have are counted together', async (t) => {
  const { connect, has, text } = await startLoadServer(t);
  const client = connect();
  const host = 'web.default.svc.cluster.local';
  const invented = [`outbound|81||${host}`, `outbound|80|v2|${host}`].map((name) =>
    load({ totalIssuedRequests: 1, totalRequestsInProgress: 1 }, name, { totalDroppedRequests: 1 }),
  );
  const elsewhere = {
    clusterName: WEB,
    upstreamLocalityStats: [{ locality: { region: 'x' }, totalIssuedRequests: 1 }],
  };
  client.sendBytes(report([...invented, elsewhere, load({ totalIssuedRequests: 1 }, `outbound|80|v1|${host}`)]));
  await has(
    `issued{cluster="outbound|80|v1|${host}",locality="r/z"} 1`,
    `issued{cluster="${WEB}",locality="other"} 1`,
    'issued{cluster="other",locality="other"} 2',
    'dropped{cluster="other",category="other"} 2',
  );
  t.notRegex(await text(), /outbound\|81|v2|"x"/);
});

test('clusters that no service has, and series beyond the limit, are counted together', async (t) => {
  const { connect, has, counts, services } = await startLoadServer(t, 1);
  services.set(...serviceOf('web', [80, 443]));
  const client = connect();
  const unknown = ['outbound|80||else.example.com', 'inbound|80||', 'x'].map((name) =>
    load({ totalIssuedRequests: 1 }, name),
  );
  client.sendBytes(report([...unknown, load({ totalIssuedRequests: 1 })]));
  await has('issued{cluster="other",locality="other"} 3', `issued{cluster="${WEB}",locality="r/z"} 1`);
  t.is(counts.met, 0);
  client.sendBytes(report([load({ totalIssuedRequests: 2 }, 'outbound|443||web.default.svc.cluster.local')]));
  await has('issued{cluster="other",locality="other"} 5');
  t.is(counts.met, 1);
});

test('a stream without a node, or with something else than reports, ends with the reason', async (t) => {
  const { connect } = await startLoadServer(t);
  const [nameless, strange] = [connect(), connect()];
  nameless.sendBytes(Buffer.from(REQUEST.encode(REQUEST.fromObject({ clusterStats: [load({})] })).finish()));
  strange.sendBytes(Buffer.from([0x0a, 0xff]));
  const [first, second] = await Promise.all([nameless.ended(), strange.ended()]);
  t.is(first.code, status.INVALID_ARGUMENT);
  t.regex(first.details, /missing node ID/);
  t.is(second.code, status.INVALID_ARGUMENT);
  t.regex(second.details, /not a LoadStatsRequest/);
});

test('a report of more fields than the limit of names allows ends the stream, before they are read', async (t) => {
  const { connect, text } = await startLoadServer(t, 10, { names: 100 });
  const [large, small] = [connect(), connect()];
  // Each empty locality has two bytes, so a message has millions of them.
  large.sendBytes(report([{ clusterName: WEB, upstreamLocalityStats: Array.from({ length: 401 }, () => ({})) }]));
  const { code, details } = await large.ended();
  t.is(code, status.RESOURCE_EXHAUSTED);
  t.regex(details, /more than 400 fields.*NAV_XDS_MAX_NAMES/);
  t.notRegex(await text(), /nav_load_requests_issued/);
  small.sendBytes(report([load({ totalIssuedRequests: 1 })]));
  await eventually('the answer', () => small.messages.length === 1);
});

test('series with requests in progress count at the peer of the streams that report them', async (t) => {
  const { connect, rig, services } = await startLoadServer(t, 1_000, { peerBytes: 450_000 });
  const ports = Array.from({ length: 500 }, (_, index) => index + 1);
  services.set(...serviceOf('web', ports));
  const all = (inProgress: number): Buffer =>
    report(ports.map((port) => load({ totalRequestsInProgress: inProgress }, WEB.replace('80', `${port}`))));
  const clients = Array.from({ length: 4 }, connect);
  for (const [index, client] of clients.slice(0, 3).entries()) {
    client.sendBytes(all(1));
    await eventually('the report is counted', () => rig.environment.peers.heldBytes === (index + 1) * 64_000);
  }
  clients[3]?.sendBytes(all(1));
  const { code, details } = await (clients[3] as LoadClient).ended();
  t.is(code, status.RESOURCE_EXHAUSTED);
  t.regex(details, /NAV_XDS_MAX_PEER_BYTES/);
  clients[0]?.sendBytes(all(0));
  clients[1]?.close();
  await eventually('what is over is given up', () => rig.environment.peers.heldBytes === 64_000);
});

test('the series of a deleted service leave, and none that a proxy still counts in', async (t) => {
  const { connect, has, clock, services, text } = await startLoadServer(t);
  services.set(...serviceOf('api'));
  const API = 'outbound|80||api.default.svc.cluster.local';
  const client = connect();
  const numbers = { totalIssuedRequests: 1, totalRequestsInProgress: 2 };
  const dropped = { totalDroppedRequests: 1 };
  client.sendBytes(report([load(numbers, API, dropped), load(numbers)]));
  await has(`in_progress{cluster="${API}",locality="other"} 2`, `dropped{cluster="${API}",category="other"} 1`);
  services.delete('api.default.svc.cluster.local');
  clock.advance(60_000);
  // The report that tells that the requests have ended comes after the service has left.
  client.sendBytes(report([load(numbers)]));
  await has(`issued{cluster="${WEB}",locality="r/z"} 2`);
  clock.advance(60_000);
  client.sendBytes(report([load(numbers)]));
  await has(`issued{cluster="${WEB}",locality="r/z"} 3`, `in_progress{cluster="${WEB}",locality="r/z"} 2`);
  t.notRegex(await text(), /api\.default/);
});

test('where series are short, those that no report names any more make place', async (t) => {
  const { connect, has, clock, services } = await startLoadServer(t, 1);
  services.set(...serviceOf('web', [1, 80]));
  const client = connect();
  client.sendBytes(report([load({ totalIssuedRequests: 1 }, 'outbound|1||web.default.svc.cluster.local')]));
  client.sendBytes(report([load({ totalIssuedRequests: 1 })]));
  await has('issued{cluster="other",locality="other"} 1');
  clock.advance(600_000);
  client.sendBytes(report([load({ totalIssuedRequests: 1 })]));
  await has(`issued{cluster="${WEB}",locality="r/z"} 1`);
  t.pass();
});

test('numbers beyond those of any proxy do not make the requests in progress inexact', async (t) => {
  const { connect, has } = await startLoadServer(t);
  const [first, second] = [connect(), connect()];
  first.sendBytes(report([load({ totalRequestsInProgress: '18446744073709551615' })]));
  second.sendBytes(report([load({ totalRequestsInProgress: 1 })]));
  const labels = `{cluster="${WEB}",locality="r/z"}`;
  await has(`in_progress${labels} ${2 ** 32 + 1}`);
  first.close();
  await has(`in_progress${labels} 1`);
  t.pass();
});

test('the end of the server ends the stream with its reason, and logs nothing about the stream', async (t) => {
  const { connect, rig } = await startLoadServer(t);
  const client = connect();
  client.sendBytes(report([]));
  await eventually('the answer', () => client.messages.length === 1);
  const stopped = rig.stop(60_000);
  const { code, details } = await client.ended();
  t.deepEqual([code, details], [status.UNAVAILABLE, 'server is shutting down']);
  client.close();
  await stopped;
  t.deepEqual(rig.logger.records, []);
});

test('a peer that names ever more clusters leaves series to others', (t) => {
  const prometheus = new Registry();
  const ports = Array.from({ length: 100 }, (_, index) => index + 1);
  const loads = createLoadRecorder({
    ...{ metrics: createMetrics(prometheus), logger: createRecordingLogger(), clock: createFakeClock() },
    ...{ intervalMs: 2_500, maxSeries: 40, limitMet: () => undefined },
    context: () => contextOf({ services: new Map([serviceOf('web', ports)]), endpoints: new Map() }),
  });
  const seriesOf = (peer: string, names: readonly string[]): number => {
    const clusters = names.map((cluster) => ({
      cluster,
      localities: [{ locality: '', issued: 1, succeeded: 0, failed: 0, inProgress: 1 }],
      dropped: 0,
    }));
    let series = 0;
    const onKept = (count: number): void => {
      series = count;
    };
    inOneStep(loads.open().record(clusters, { namespace: 'ns', peer }, onKept));
    return series;
  };
  const clustersOf = (from: number, to: number) => ports.slice(from, to).map((port) => WEB.replace('80', `${port}`));
  const others = 1;
  t.is(seriesOf('greedy', clustersOf(0, 60)), 20 + others);
  t.is(seriesOf('greedy', clustersOf(60, 70)), others, 'neither over another stream');
  t.is(seriesOf('modest', clustersOf(70, 75)), 5);
  t.is(seriesOf('modest', clustersOf(0, 10)), 10, 'it may use those of others');
  t.is(seriesOf('second', clustersOf(75, 100)), 8 + others);
});
