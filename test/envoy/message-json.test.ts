import test from 'ava';
import { adsConfigSource } from '../../src/envoy/config-source.js';
import { duration } from '../../src/envoy/durations.js';
import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { createMessageJson } from '../../src/envoy/message-json.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { struct } from '../../src/envoy/struct.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const json = createMessageJson(registry);
const HTTP_OPTIONS = 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

function clusterJson(message: object): unknown {
  return json.resourceToJson(encoder.encodeResource(TypeUrl.cluster, 'a', message));
}

test('a resource is its type and the JSON of its fields', (t) => {
  t.deepEqual(clusterJson({ name: 'a', type: 'EDS', respectDnsTtl: true }), {
    '@type': TypeUrl.cluster,
    name: 'a',
    type: 'EDS',
    respectDnsTtl: true,
  });
});

for (const [ms, text] of [
  [0, '0s'],
  [10_000, '10s'],
  [1500, '1.5s'],
  [1, '0.001s'],
] as const) {
  test(`a duration of ${ms} ms is ${text}`, (t) => {
    t.like(clusterJson({ connectTimeout: duration(ms) }), { connectTimeout: text });
  });
}

test('a wrapped value is the value itself, and a wrapped zero is kept', (t) => {
  t.like(clusterJson({ perConnectionBufferLimitBytes: { value: 7 } }), { perConnectionBufferLimitBytes: 7 });
  t.like(clusterJson({ ringHashLbConfig: { minimumRingSize: { value: 9 } } }), {
    ringHashLbConfig: { minimumRingSize: '9' },
  });
});

test('a struct is a plain object of any depth', (t) => {
  const fields = { text: 'a', number: 1.5, yes: true, nothing: null, list: [1, { deep: ['b'] }] };
  t.like(clusterJson({ metadata: { filterMetadata: { mesh: struct(fields) } } }), {
    metadata: { filterMetadata: { mesh: fields } },
  });
});

test('an Any of a known type is opened', (t) => {
  const packed = encoder.packAny(HTTP_OPTIONS, { explicitHttpConfig: { http2ProtocolOptions: {} } });
  t.like(clusterJson({ typedExtensionProtocolOptions: { http: packed } }), {
    typedExtensionProtocolOptions: {
      http: { '@type': HTTP_OPTIONS, explicitHttpConfig: { http2ProtocolOptions: {} } },
    },
  });
});

test('an Any of an unknown type keeps its bytes', (t) => {
  const type_url = 'type.googleapis.com/acme.Unknown';
  t.like(clusterJson({ typedExtensionProtocolOptions: { x: { type_url, value: Buffer.from('hi') } } }), {
    typedExtensionProtocolOptions: { x: { '@type': type_url, value: 'aGk=' } },
  });
});

test('an Any of a type with a JSON form of its own has it as value', (t) => {
  const type_url = 'type.googleapis.com/google.protobuf.Duration';
  t.deepEqual(json.bytesToJson(type_url, encoder.encode(type_url, duration(1500))), {
    '@type': type_url,
    value: '1.5s',
  });
});

test('map keys are sorted', (t) => {
  const metadata = { filterMetadata: { b: struct({}), a: struct({}) } };
  const printed = JSON.stringify(clusterJson({ metadata }));
  t.true(printed.indexOf('"a"') < printed.indexOf('"b"'));
});

test('the ADS config source waits without a limit by default, and otherwise for the given time', (t) => {
  const source = (ms: number) => ({ edsClusterConfig: { edsConfig: adsConfigSource(ms) } });
  t.like(clusterJson(source(0)), {
    edsClusterConfig: { edsConfig: { ads: {}, initialFetchTimeout: '0s', resourceApiVersion: 'V3' } },
  });
  t.like(clusterJson(source(2500)), { edsClusterConfig: { edsConfig: { initialFetchTimeout: '2.5s' } } });
});
