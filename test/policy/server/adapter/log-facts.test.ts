import test from 'ava';
import type { WireHttpLogEntry, WireTcpLogEntry } from '../../../../src/policy/server/adapter/envoy-messages.js';
import { httpLogRequestFacts, httpLogResponseFacts } from '../../../../src/policy/server/adapter/http-log-facts.js';
import { readLogOrigin, serviceOfCluster } from '../../../../src/policy/server/adapter/log-origin.js';
import { isRefused, proxyErrorCode } from '../../../../src/policy/server/adapter/response-flags.js';
import {
  tcpLogConnectionFacts,
  tcpLogDurationNs,
  tcpLogMoment,
  tcpLogReportFacts,
  tcpLogTotal,
} from '../../../../src/policy/server/adapter/tcp-log-facts.js';
import { createEnvoyCodec } from '../../../../src/policy/server/envoy-codec.js';
import { envoyProtos, logMessageBytes } from '../policy-server-rig.js';
import {
  DENIED_HTTP_LOG_ENTRY,
  HTTP_LOG_ENTRY,
  TCP_CONNECTED_ENTRY,
  TCP_DENIED_END_ENTRY,
  TCP_END_ENTRY,
  TCP_PERIODIC_ENTRY,
} from './envoy-recordings.js';

const codec = createEnvoyCodec(envoyProtos);

function http(entry: object): WireHttpLogEntry {
  return codec.decodeLogMessage(logMessageBytes({ httpLogs: { logEntry: [entry] } })).httpLogs?.logEntry?.[0] ?? {};
}

function tcp(entry: object): WireTcpLogEntry {
  return codec.decodeLogMessage(logMessageBytes({ tcpLogs: { logEntry: [entry] } })).tcpLogs?.logEntry?.[0] ?? {};
}

const common = (fields: object): object => ({
  ...HTTP_LOG_ENTRY,
  commonProperties: { ...HTTP_LOG_ENTRY.commonProperties, ...fields },
});

const request = (fields: object): object => ({ ...HTTP_LOG_ENTRY, request: { ...HTTP_LOG_ENTRY.request, ...fields } });

test("a log entry's request is the one of its Check", (t) => {
  t.deepEqual(httpLogRequestFacts(http(HTTP_LOG_ENTRY)), {
    method: 'GET',
    host: '127.0.0.1:28080',
    target: '/ok?a=b',
    scheme: 'http',
    headers: new Map([['user-agent', 'curl/7.88.1']]),
    timeNs: 1_795_271_864_398_569_000n,
    connection: { isMtls: false, originIp: Uint8Array.of(127, 0, 0, 1) },
  });
});

test('a rewritten path is reported in its original form', (t) => {
  const { target } = httpLogRequestFacts(http(request({ path: '/v2/ok', originalPath: '/ok?a=b' })));
  t.is(target, '/ok?a=b');
});

test("a method that Envoy's list does not have is the one in the logged headers", (t) => {
  const entry = http(
    request({ requestMethod: 0, requestHeaders: { ':method': 'PURGE', 'content-type': 'application/grpc' } }),
  );
  const { method, headers } = httpLogRequestFacts(entry);
  t.is(method, 'PURGE');
  t.deepEqual(
    [...headers],
    [
      ['content-type', 'application/grpc'],
      ['user-agent', 'curl/7.88.1'],
    ],
  );
});

test('the peer is the sender of the connection, for any forwarded address', (t) => {
  const direct = { socketAddress: { address: '10.0.0.7', portValue: 1 } };
  const claimed = { socketAddress: { address: '198.51.100.1', portValue: 1 } };
  const entry = http(common({ downstreamDirectRemoteAddress: direct, downstreamRemoteAddress: claimed }));
  t.deepEqual(httpLogRequestFacts(entry).connection.originIp, Uint8Array.of(10, 0, 0, 7));
});

test("identities are the certificates' first URIs, and a peer that has one came over mutual TLS", (t) => {
  const certificate = (uri: string) => ({ subjectAltName: [{ dns: 'name' }, { uri }, { uri: 'spiffe://second' }] });
  const { connection } = httpLogRequestFacts(
    http(
      common({
        tlsProperties: {
          tlsSniHostname: 'outbound_.80_._.books',
          localCertificateProperties: certificate('spiffe://cluster.local/ns/books/sa/books'),
          peerCertificateProperties: certificate('spiffe://cluster.local/ns/shop/sa/web'),
        },
      }),
    ),
  );
  t.true(connection.isMtls);
  t.is(connection.requestedServerName, 'outbound_.80_._.books');
  t.is(connection.sourcePrincipal, 'spiffe://cluster.local/ns/shop/sa/web');
  t.is(connection.destinationPrincipal, 'spiffe://cluster.local/ns/books/sa/books');
});

test('a response has its code, sizes with and without headers, its duration and the time at which it was complete', (t) => {
  t.deepEqual(httpLogResponseFacts(http(HTTP_LOG_ENTRY), 'inbound', { checkErrorCode: 0 }), {
    destinationIp: Uint8Array.of(127, 0, 0, 1),
    destinationPort: 28_080,
    headers: new Map(),
    timeNs: 1_795_271_864_442_352_561n,
    requestBodyBytes: 0n,
    responseBodyBytes: 2n,
    requestTotalBytes: 178n,
    responseTotalBytes: 93n,
    durationNs: 43_783_561n,
    responseCode: 200,
    decision: { checkErrorCode: 0 },
  });
});

test('the destination of an outbound request is where the proxy sent it', (t) => {
  const upstreamRemoteAddress = { socketAddress: { address: '10.2.0.5', portValue: 8080 } };
  const facts = httpLogResponseFacts(http(common({ upstreamRemoteAddress })), 'outbound', {});
  t.deepEqual(facts.destinationIp, Uint8Array.of(10, 2, 0, 5));
  t.is(facts.destinationPort, 8080);
});

test('a gRPC status is the one of the trailers, or of the headers when there are no trailers', (t) => {
  const of = (fields: object) =>
    httpLogResponseFacts(
      http({ ...HTTP_LOG_ENTRY, response: { ...HTTP_LOG_ENTRY.response, ...fields } }),
      'inbound',
      {},
    );
  const trailers = of({
    responseHeaders: { 'grpc-status': '0' },
    responseTrailers: { 'grpc-status': '5', 'grpc-message': 'no such book' },
  });
  t.is(trailers.grpcStatus, '5');
  t.is(trailers.grpcMessage, 'no such book');
  t.is(of({ responseHeaders: { 'grpc-status': '7' } }).grpcStatus, '7');
});

test('a number of bytes beyond 2^53 keeps its digits', (t) => {
  const { requestBodyBytes } = httpLogResponseFacts(
    http(request({ requestBodyBytes: '9223372036854775809' })),
    'inbound',
    {},
  );
  t.is(requestBodyBytes, 9_223_372_036_854_775_809n);
});

test('a request that its Check refused has the error code of the proxy', (t) => {
  const facts = httpLogResponseFacts(http(DENIED_HTTP_LOG_ENTRY), 'inbound', {});
  t.is(facts.proxyErrorCode, 'UAEX');
  t.is(facts.responseCode, 429);
});

const FLAGS: readonly (readonly [object, string | undefined])[] = [
  [{}, undefined],
  [{ noHealthyUpstream: true }, 'UH'],
  [{ upstreamConnectionFailure: true, upstreamRetryLimitExceeded: true }, 'UF,URX'],
  [{ downstreamRemoteReset: true }, 'DR'],
];

for (const [flags, code] of FLAGS) {
  test(`response flags ${JSON.stringify(flags)} are the proxy's error code ${code}`, (t) => {
    const entry = http(common({ responseFlags: flags }));
    t.is(proxyErrorCode(entry.commonProperties?.responseFlags), code);
    t.false(isRefused(entry.commonProperties?.responseFlags));
  });
}

test('every response flag of Envoy has a short name', (t) => {
  const type = envoyProtos.type('envoy.data.accesslog.v3.ResponseFlags');
  for (const name of Object.keys(type.fields)) {
    t.truthy(proxyErrorCode({ [name]: true }), name);
  }
});

test('entries of a connection have their point in its life', (t) => {
  t.is(tcpLogMoment(tcp(TCP_CONNECTED_ENTRY)), 'connected');
  t.is(tcpLogMoment(tcp(TCP_PERIODIC_ENTRY)), 'periodic');
  t.is(tcpLogMoment(tcp(TCP_END_ENTRY)), 'end');
  t.is(tcpLogMoment(tcp({ commonProperties: {} })), 'end');
  t.is(tcpLogMoment(tcp({ commonProperties: { accessLogType: 'UdpPeriodic' } })), undefined);
});

test("a log entry's connection is the one of its Check, by the same id", (t) => {
  t.deepEqual(tcpLogConnectionFacts(tcp(TCP_END_ENTRY)), {
    id: 'f42f5233-5749-4924-a540-12fd4dc01cf4',
    timeNs: 1_795_271_864_587_166_000n,
    sourceIp: Uint8Array.of(127, 0, 0, 1),
    connection: { isMtls: false, originIp: Uint8Array.of(127, 0, 0, 1) },
  });
  t.deepEqual(tcpLogTotal(tcp(TCP_END_ENTRY)), { received: 7n, sent: 12n });
  t.is(tcpLogDurationNs(tcp(TCP_END_ENTRY)), 2_506_683_835n);
});

test("a connection's report has where it went, what went wrong, and what its Check said", (t) => {
  const report = {
    event: { type: 'close', durationNs: 1n },
    total: { received: 5n, sent: 0n },
    lastReported: { received: 0n, sent: 0n },
  } as const;
  const decision = { checkErrorCode: 8, checkErrorMessage: 'no more' };
  t.deepEqual(tcpLogReportFacts(tcp(TCP_DENIED_END_ENTRY), 'outbound', report, decision), {
    ...report,
    destinationIp: Uint8Array.of(127, 0, 0, 1),
    destinationPort: 29_092,
    proxyErrorCode: 'UAEX',
    checkErrorCode: 8,
    checkErrorMessage: 'no more',
  });
});

const CLUSTERS: readonly (readonly [string | undefined, string | undefined])[] = [
  ['outbound|80||books.default.svc.cluster.local', 'books.default.svc.cluster.local'],
  ['outbound|80|v2|books.default.svc.cluster.local', 'books.default.svc.cluster.local'],
  ['inbound|8080|http|books.default.svc.cluster.local', 'books.default.svc.cluster.local'],
  ['PassthroughCluster', undefined],
  ['BlackHoleCluster', undefined],
  ['inbound|x|http|books', undefined],
  ['', undefined],
  [undefined, undefined],
];

for (const [cluster, service] of CLUSTERS) {
  test(`the service of the cluster ${cluster} is ${service}`, (t) => {
    t.is(serviceOfCluster(cluster), service);
  });
}

const NODE = { id: 'sidecar~10.0.0.9~shop-1.default~default.svc.cluster.local' };
const originOf = (identifier: object) => readLogOrigin(codec.decodeLogMessage(logMessageBytes({ identifier })));

test('the first message of a log has the side and the attributes of the proxy', (t) => {
  const outbound = originOf({ node: NODE, logName: 'outbound' });
  t.is(outbound?.side, 'outbound');
  t.is(outbound?.staticLayer.get('source.uid')?.value, 'orchestrator://shop-1.default');
  t.is(outbound?.staticLayer.get('context.reporter.kind')?.value, 'outbound');
  const inbound = originOf({ node: NODE, logName: 'inbound' });
  t.is(inbound?.staticLayer.get('destination.uid')?.value, 'orchestrator://shop-1.default');
  t.deepEqual(inbound?.staticLayer.get('destination.ip')?.value, Uint8Array.of(10, 0, 0, 9));
  t.false(inbound?.isGateway);
});

test('the log of a router is one of a gateway', (t) => {
  t.true(originOf({ node: { id: NODE.id.replace('sidecar', 'router') }, logName: 'outbound' })?.isGateway);
});

test('later messages do not name the proxy of the log', (t) => {
  t.is(readLogOrigin(codec.decodeLogMessage(logMessageBytes({}))), undefined);
});

for (const node of [{}, { id: 'someone' }, { id: 'sidecar~not an address~a.b~c' }]) {
  test(`a log whose node is ${JSON.stringify(node)} leaves no attributes of its proxy`, (t) => {
    t.is(originOf({ node, logName: 'inbound' })?.staticLayer.size, 0);
  });
}
