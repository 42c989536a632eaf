import test from 'ava';
import { createMessageJson } from '../../../src/envoy/message-json.js';
import { mergeMessages } from '../../../src/envoy/messages/merge-messages.js';
import type { MessageFields } from '../../../src/envoy/messages/message-problem.js';
import { checkMessage } from '../../../src/envoy/messages/message-rules.js';
import { createPatchRegistry } from '../../../src/envoy/messages/patch-registry.js';
import { readMessage } from '../../../src/envoy/messages/read-message.js';

const registry = createPatchRegistry()();
const json = createMessageJson(registry);
const CLUSTER = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';

function read(typeUrl: string, value: object): MessageFields {
  const result = readMessage(registry, registry.type(typeUrl), value);
  if (result.type === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.message;
}

/** Merges two messages and returns the result as JSON, without its type. */
function merged(first: object, second: object, typeUrl = CLUSTER): object {
  const type = registry.type(typeUrl);
  const target = type.decode(type.encode(read(typeUrl, first)).finish()) as unknown as MessageFields;
  mergeMessages(registry, type, target, read(typeUrl, second));
  const { '@type': _type, ...fields } = json.bytesToJson(typeUrl, type.encode(target).finish()) as Record<
    string,
    unknown
  >;
  return fields;
}

test('scalars are replaced, lists are appended, messages merge', (t) => {
  const first = {
    name: 'a',
    altStatName: 'old',
    circuitBreakers: { thresholds: [{ maxRetries: 1 }] },
    upstreamConnectionOptions: { tcpKeepalive: { keepaliveTime: 1 } },
  };
  const second = {
    alt_stat_name: 'new',
    circuit_breakers: { thresholds: [{ max_retries: 2 }] },
    upstream_connection_options: { tcp_keepalive: { keepalive_probes: 3 } },
  };
  t.deepEqual(merged(first, second), {
    name: 'a',
    circuitBreakers: { thresholds: [{ maxRetries: 1 }, { maxRetries: 2 }] },
    altStatName: 'new',
    upstreamConnectionOptions: { tcpKeepalive: { keepaliveProbes: 3, keepaliveTime: 1 } },
  });
});

test('a duration is replaced as a whole, and an explicit false replaces true', (t) => {
  const first = { connectTimeout: '1.25s', respectDnsTtl: true };
  t.deepEqual(merged(first, { connectTimeout: '3s', respectDnsTtl: false }), {
    connectTimeout: '3s',
    respectDnsTtl: false,
  });
});

test('a member of a choice removes the others', (t) => {
  const ROUTE = 'type.googleapis.com/envoy.config.route.v3.Route';
  t.deepEqual(merged({ match: { prefix: '/' }, route: { cluster: 'x' } }, { redirect: { hostRedirect: 'y' } }, ROUTE), {
    match: { prefix: '/' },
    redirect: { hostRedirect: 'y' },
  });
});

test('messages in an Any merge if they have the same type, and replace each other otherwise', (t) => {
  const config = (type: string, fields: object) => ({
    filters: [],
    transportSocket: { name: 's', typedConfig: { '@type': `type.googleapis.com/${type}`, ...fields } },
  });
  const TLS = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';
  t.deepEqual(merged(config(TLS, { sni: 'a' }), config(TLS, { allowRenegotiation: true })), {
    transportSocket: {
      name: 's',
      typedConfig: { '@type': `type.googleapis.com/${TLS}`, sni: 'a', allowRenegotiation: true },
    },
  });
  const RAW = 'envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer';
  t.deepEqual(merged(config(TLS, { sni: 'a' }), config(RAW, {})), {
    transportSocket: { name: 's', typedConfig: { '@type': `type.googleapis.com/${RAW}` } },
  });
});

test('no field of two messages has the same name when underscores and case are ignored', (t) => {
  // Names are compared in this way, because protobufjs spells some of them in a way of its own.
  const names = (registry.type(CLUSTER).fieldsArray ?? []).map(({ name }) => name.replaceAll('_', '').toLowerCase());
  t.is(new Set(names).size, names.length);
  t.deepEqual(merged({}, { httpProtocolOptions: { accept_http_10: true } }), {
    httpProtocolOptions: { acceptHttp_10: true },
  });
  t.deepEqual(merged({}, { httpProtocolOptions: { acceptHttp10: true } }), {
    httpProtocolOptions: { acceptHttp_10: true },
  });
});

test('a name of a map may be any text', (t) => {
  const value = JSON.parse('{"metadata": {"filterMetadata": {"__proto__": {"constructor": 1}}}}');
  const [key] = Object.keys((merged({}, value) as { metadata: { filterMetadata: object } }).metadata.filterMetadata);
  t.is(key, '__proto__');
});

test('the rules of Envoy find missing, empty and out-of-range fields, also in an Any', (t) => {
  const problem = (value: object, isPartial = false) =>
    checkMessage(registry, registry.type(CLUSTER), read(CLUSTER, value), isPartial)?.path;
  t.is(problem({}), 'name');
  t.is(problem({}, true), undefined);
  t.is(problem({ name: 'a', connectTimeout: '0s' }), 'connectTimeout');
  t.is(problem({ name: 'a', healthChecks: [{ timeout: '1s' }] }), 'healthChecks[0].interval');
  const lua = { '@type': 'type.googleapis.com/envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit' };
  t.is(problem({ name: 'a', filters: [{ name: 'x', typedConfig: lua }] }), 'filters[0].typedConfig.statPrefix');
});
