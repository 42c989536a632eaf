import test from 'ava';
import { discoveredFilter, encodeExtensionConfig } from '../../src/envoy/extension-config.js';
import { buildHttpGrpcAccessLog, buildTcpGrpcAccessLog } from '../../src/envoy/grpc-access-log.js';
import { buildGrpcService } from '../../src/envoy/grpc-service.js';
import { buildHeaderMutation, buildHeaderToMetadata } from '../../src/envoy/header-filters.js';
import { buildExtAuthzPerRoute, buildHttpExtAuthz, buildIdleHttpExtAuthz } from '../../src/envoy/http-ext-authz.js';
import { createMessageEncoder, type PackedAny } from '../../src/envoy/message-encoder.js';
import { createMessageJson, type Json } from '../../src/envoy/message-json.js';
import { buildIdleNetworkExtAuthz, buildNetworkExtAuthz } from '../../src/envoy/network-ext-authz.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { buildShiftedStatuses } from '../../src/envoy/shifted-statuses.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const messageJson = createMessageJson(registry);

function fields({ type_url, value }: PackedAny): Readonly<Record<string, Json>> {
  return messageJson.bytesToJson(type_url, value) as Record<string, Json>;
}

const SERVER = { cluster: 'policy_server', timeoutMs: 5000 };
const OVER_GRPC = { protocol: 'grpc', service: SERVER } as const;
const OVER_HTTP = {
  protocol: 'http',
  service: {
    ...SERVER,
    retries: { maxRetries: 2, baseWaitMs: 80, maxWaitMs: 1000 },
    headers: { 'x-own-config': '100%' },
    formattedHeaders: { 'x-own-address': '%DOWNSTREAM_REMOTE_ADDRESS%' },
    requestHeaders: ['x-receipt'],
    responseHeaders: ['x-left'],
    ownPrefix: 'x-own-',
    hiddenPrefixes: ['x-o', 'x-my'],
    shownPrefix: 'x-other-',
  },
} as const;

test('a call has its retries in the place where Envoy makes them, with base and longest wait', (t) => {
  const retries = { maxRetries: 3, baseWaitMs: 80, maxWaitMs: 1000 };
  const { retryPolicy, envoyGrpc } = buildGrpcService({ ...SERVER, retries });
  t.is(envoyGrpc?.retryPolicy, undefined);
  t.deepEqual(retryPolicy?.numRetries, { value: 3 });
  t.deepEqual(retryPolicy?.retryBackOff, {
    baseInterval: { seconds: 0, nanos: 80_000_000 },
    maxInterval: { seconds: 1 },
  });
});

test('a retry asks another server than the one that has failed, as long as there is one', (t) => {
  const { retryPolicy } = buildGrpcService({ ...SERVER, retries: { maxRetries: 1, baseWaitMs: 10, maxWaitMs: 10 } });
  t.deepEqual(
    retryPolicy?.retryHostPredicate?.map(({ name }) => name),
    ['envoy.retry_host_predicates.previous_hosts'],
  );
  t.is(retryPolicy?.hostSelectionRetryMaxAttempts, 32);
});

test('without retries, a call that has reached no server tries others, and keeps its timeout', (t) => {
  const retries = { maxRetries: 0, baseWaitMs: 80, maxWaitMs: 1000 };
  const { retryPolicy } = buildGrpcService({ ...SERVER, retries });
  t.is(retryPolicy?.retryOn, 'connect-failure,refused-stream,reset-before-request');
  t.deepEqual(retryPolicy?.retryBackOff, {
    baseInterval: { seconds: 0, nanos: 10_000_000 },
    maxInterval: { seconds: 5 },
  });
  t.is(retryPolicy?.retryHostPredicate?.length, 1);
});

test('a stream has no retry policy', (t) => {
  t.false('retryPolicy' in buildGrpcService(SERVER));
});

test('an attempt has at least 250 ms, because Envoy takes the longest wait as its timeout', (t) => {
  const retries = { maxRetries: 1, baseWaitMs: 10, maxWaitMs: 10 };
  const { retryPolicy } = buildGrpcService({ ...SERVER, retries });
  t.deepEqual(retryPolicy?.retryBackOff?.maxInterval, { seconds: 0, nanos: 250_000_000 });
});

test("a server is called by its host and port, because a cluster's name is no valid authority", (t) => {
  const authorityOf = (cluster: string) => buildGrpcService({ cluster }).envoyGrpc?.authority;
  t.is(authorityOf('outbound|9091||policy.example.com'), 'policy.example.com:9091');
  t.is(authorityOf('outbound|9091||fd00::1'), '[fd00::1]:9091');
  t.is(authorityOf('policy_server'), undefined);
});

test('Envoy formats formatted metadata', (t) => {
  const { initialMetadata } = buildGrpcService({ cluster: 'a', formattedMetadata: { 'x-id': '%STREAM_ID%' } });
  t.deepEqual(initialMetadata, [{ key: 'x-id', value: '%STREAM_ID%' }]);
});

test('metadata stays as it is, although Envoy replaces percent signs', (t) => {
  const { initialMetadata } = buildGrpcService({ cluster: 'a', metadata: { 'x-a': '%HOSTNAME%' } });
  t.deepEqual(initialMetadata, [{ key: 'x-a', value: '%%HOSTNAME%%' }]);
});

test('undecided requests get status 503, unless they pass', (t) => {
  const options = { statPrefix: 'p', server: OVER_GRPC, metadataNamespaces: [] };
  const closed = fields(buildHttpExtAuthz(encoder, { ...options, allowsOnFailure: false }));
  t.deepEqual(closed['statusOnError'], { code: 'ServiceUnavailable' });
  t.not(closed['failureModeAllow'], true);
  const open = fields(buildHttpExtAuthz(encoder, { ...options, allowsOnFailure: true }));
  t.is(open['failureModeAllow'], true);
});

test('the server gets the server name of the connection, and the chosen metadata of the request', (t) => {
  const options = { statPrefix: 'p', server: SERVER, allowsOnFailure: true };
  const http = fields(
    buildHttpExtAuthz(encoder, { ...options, server: OVER_GRPC, metadataNamespaces: ['some.filter'] }),
  );
  t.is(http['includeTlsSession'], true);
  t.deepEqual(http['metadataContextNamespaces'], ['some.filter']);
  t.is(fields(buildNetworkExtAuthz(encoder, options))['includeTlsSession'], true);
});

test('a server over HTTP/1.1 gets all headers of the request, but no header of a caller under the names of the exchange', (t) => {
  const options = { statPrefix: 'p', allowsOnFailure: false, metadataNamespaces: ['some.filter'] };
  const http = fields(buildHttpExtAuthz(encoder, { ...options, server: OVER_HTTP }));
  t.is(http['grpcService'], undefined);
  t.is(http['metadataContextNamespaces'], undefined, 'Envoy has no place for them');
  t.deepEqual(http['allowedHeaders'], { patterns: [{ safeRegex: { regex: '.*' } }] });
  t.deepEqual(http['disallowedHeaders'], {
    patterns: [{ prefix: 'x-own-' }, { exact: 'connection' }, { exact: 'upgrade' }],
  });
  t.like(http['httpService'], {
    serverUri: { cluster: 'policy_server', timeout: '5s' },
    authorizationRequest: {
      headersToAdd: [
        { key: 'x-own-config', value: '100%%' },
        { key: 'x-own-address', value: '%DOWNSTREAM_REMOTE_ADDRESS%' },
      ],
    },
    retryPolicy: {
      retryOn: 'connect-failure,refused-stream,reset-before-request,reset,gateway-error',
      numRetries: 2,
    },
  });
});

test('of the headers of an answer over HTTP/1.1, each goes to one place', (t) => {
  const options = { statPrefix: 'p', allowsOnFailure: false, metadataNamespaces: [] };
  const { httpService } = fields(buildHttpExtAuthz(encoder, { ...options, server: OVER_HTTP })) as {
    readonly httpService?: { readonly authorizationResponse?: Readonly<Record<string, Json>> };
  };
  t.deepEqual(httpService?.authorizationResponse, {
    allowedUpstreamHeaders: { patterns: [{ exact: 'x-receipt' }] },
    allowedClientHeadersOnSuccess: { patterns: [{ exact: 'x-left' }] },
    allowedClientHeaders: {
      patterns: [
        { safeRegex: { regex: '[^x].*' } },
        { safeRegex: { regex: 'x[^-].*' } },
        { safeRegex: { regex: 'x-[^om].*' } },
        { safeRegex: { regex: 'x-m[^y].*' } },
        { prefix: 'x-other-' },
      ],
    },
    dynamicMetadataFromHeaders: { patterns: [{ prefix: 'x-own-' }] },
  });
});

test('a refusal has the status that its server wanted, which Envoy would take for something else', (t) => {
  const replies = buildShiftedStatuses(400);
  t.deepEqual(
    replies.map(({ filter, statusCode }) => {
      const { op, value } = filter?.statusCodeFilter?.comparison ?? {};
      return [op, value?.defaultValue, statusCode?.value];
    }),
    [
      ['EQ', 600, 200],
      ['EQ', 900, 500],
      ['EQ', 901, 501],
      ['EQ', 902, 502],
      ['EQ', 903, 503],
      ['EQ', 904, 504],
      ['GE', 905, 500],
    ],
  );
});

test('a disabled HTTP check applies to no request', (t) => {
  const idle = fields(buildIdleHttpExtAuthz(encoder, 'p', 'policy_server'));
  const share = idle['filterEnabled'] as Record<string, Record<string, Json>>;
  t.is(share['defaultValue']?.['numerator'] ?? 0, 0);
  t.truthy(share['defaultValue']);
});

test('a disabled network check applies to connections with metadata that no connection has', (t) => {
  const idle = fields(buildIdleNetworkExtAuthz(encoder, 'p', 'policy_server'));
  t.like(idle['filterEnabledMetadata'], { filter: 'mesh.never', value: { presentMatch: true } });
  const active = fields(buildNetworkExtAuthz(encoder, { statPrefix: 'p', server: SERVER, allowsOnFailure: true }));
  t.is(active['filterEnabledMetadata'], undefined);
  t.is(active['failureModeAllow'], true);
});

test('a route sends data to the server, or is not checked', (t) => {
  const told = fields(buildExtAuthzPerRoute(encoder, { contextExtensions: { a: 'b' } }));
  t.deepEqual(told['checkSettings'], { contextExtensions: { a: 'b' } });
  t.is(fields(buildExtAuthzPerRoute(encoder, 'unchecked'))['disabled'], true);
});

const MUTATION = { set: { header: 'x-a', value: 'b' }, remove: 'x-c' };

test('a set header replaces what the caller sent under its name, and another header of the caller is removed', (t) => {
  t.deepEqual(fields(buildHeaderMutation(encoder, MUTATION))['mutations'], {
    requestMutations: [
      { append: { header: { key: 'x-a', value: 'b' }, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' } },
      { remove: 'x-c' },
    ],
  });
});

test('a header that becomes metadata does not reach the application', (t) => {
  const { typedConfig } = buildHeaderToMetadata(encoder, { header: 'x-a', namespace: 'mesh', key: 'k' });
  t.deepEqual(fields(typedConfig as PackedAny)['requestRules'], [
    { header: 'x-a', onHeaderPresent: { metadataNamespace: 'mesh', key: 'k', type: 'STRING' }, remove: true },
  ]);
});

test('access logs have a name, a server and a maximum wait of an entry', (t) => {
  const options = { logName: 'inbound', cluster: 'policy_server', flushIntervalMs: 1500 };
  const none = { request: [], response: [], responseTrailers: [] };
  for (const { typedConfig } of [
    buildHttpGrpcAccessLog(encoder, options, none),
    buildTcpGrpcAccessLog(encoder, options),
  ]) {
    t.like(fields(typedConfig)['commonConfig'], {
      logName: 'inbound',
      grpcService: { envoyGrpc: { clusterName: 'policy_server' } },
      bufferFlushInterval: '1.5s',
    });
  }
});

test('a requested filter has the name of its configuration, and accepts one type', (t) => {
  const filter = discoveredFilter('policy|a', 'type.googleapis.com/a.B', { ads: {} });
  t.deepEqual(filter, {
    name: 'policy|a',
    configDiscovery: { configSource: { ads: {} }, typeUrls: ['type.googleapis.com/a.B'] },
  });
  const resource = encodeExtensionConfig(encoder, 'policy|a', buildHeaderMutation(encoder, MUTATION));
  t.is(resource.name, 'policy|a');
  t.like(messageJson.resourceToJson(resource) as object, { name: 'policy|a' });
});
