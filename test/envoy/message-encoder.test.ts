import test from 'ava';
import {
  contentVersion,
  createMessageEncoder,
  frameField,
  frameNamedResource,
  frameResource,
} from '../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import fc from '../support/property-testing.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const responseType = registry.type('envoy.service.discovery.v3.DiscoveryResponse');
const deltaResourceType = registry.type('envoy.service.discovery.v3.Resource');
const assignmentType = registry.type(TypeUrl.endpoint);

test('an encoded message decodes to what went in', (t) => {
  const bytes = encoder.encode(TypeUrl.endpoint, { clusterName: 'a', endpoints: [{ priority: 2 }] });
  const decoded = assignmentType.toObject(assignmentType.decode(bytes));
  t.deepEqual(decoded, { clusterName: 'a', endpoints: [{ priority: 2 }] });
});

test('a message of two parts is their union, and follows each new part', (t) => {
  const common = { policy: { overprovisioningFactor: { value: 150 } } };
  for (const clusterName of ['a', 'b']) {
    const bytes = encoder.encodeWithCommon(TypeUrl.endpoint, { clusterName }, common);
    t.deepEqual(assignmentType.toObject(assignmentType.decode(bytes)), { clusterName, ...common });
  }
  const other = encoder.encodeWithCommon(TypeUrl.endpoint, { clusterName: 'a' }, { endpoints: [{ priority: 2 }] });
  t.deepEqual(assignmentType.toObject(assignmentType.decode(other)), {
    clusterName: 'a',
    endpoints: [{ priority: 2 }],
  });
});

test('the framed entry is a resource of a response, and the resource of a delta entry', (t) => {
  const { entry } = encoder.encodeResource(TypeUrl.endpoint, 'a', { clusterName: 'a' });
  for (const [type, field] of [
    [responseType, 'resources'],
    [deltaResourceType, 'resource'],
  ] as const) {
    const object = type.toObject(type.decode(entry));
    const any = [object[field]].flat()[0] as { type_url: string; value: Buffer };
    t.is(any.type_url, TypeUrl.endpoint);
    t.deepEqual(assignmentType.toObject(assignmentType.decode(any.value)), { clusterName: 'a' });
  }
});

test('a message without a name is wrapped in a message with its name', (t) => {
  const bytes = encoder.encode(TypeUrl.endpoint, { clusterName: 'a' });
  const { name, entry } = frameNamedResource(TypeUrl.endpoint, 'inbound', bytes);
  t.is(name, 'inbound');
  const response = responseType.toObject(responseType.decode(entry)) as {
    resources: { type_url: string; value: Buffer }[];
  };
  t.is(response.resources[0]?.type_url, 'type.googleapis.com/envoy.service.discovery.v3.Resource');
  const carried = deltaResourceType.toObject(deltaResourceType.decode(response.resources[0]?.value ?? Buffer.alloc(0)));
  t.deepEqual(carried, { name: 'inbound', resource: { type_url: TypeUrl.endpoint, value: bytes } });
});

test('the version follows from the content alone', (t) => {
  const first = encoder.encodeResource(TypeUrl.endpoint, 'a', { clusterName: 'a' });
  const same = encoder.encodeResource(TypeUrl.endpoint, 'b', { clusterName: 'a' });
  const other = encoder.encodeResource(TypeUrl.endpoint, 'a', { clusterName: 'b' });
  t.is(first.version, same.version);
  t.not(first.version, other.version);
  t.regex(first.version, /^[A-Za-z0-9_-]{16}$/);
});

test('an exact message gives the same resource without conversion', (t) => {
  const message = (healthStatus: string | number) => ({
    clusterName: 'a',
    endpoints: [{ lbEndpoints: [{ healthStatus, loadBalancingWeight: { value: 7 } }] }],
  });
  t.deepEqual(
    encoder.encodeExactResource(TypeUrl.endpoint, 'a', message(3)),
    encoder.encodeResource(TypeUrl.endpoint, 'a', message('DRAINING')),
  );
});

test('a packed Any carries type and bytes', (t) => {
  const packed = encoder.packAny(TypeUrl.endpoint, { clusterName: 'a' });
  t.is(packed.type_url, TypeUrl.endpoint);
  t.is(assignmentType.toObject(assignmentType.decode(packed.value))['clusterName'], 'a');
});

test('a message of an unknown type is an error', (t) => {
  t.throws(() => encoder.encode('type.googleapis.com/acme.Unknown', {}), { message: /acme\.Unknown/ });
  t.throws(() => encoder.encodeExactResource('type.googleapis.com/acme.Unknown', 'a', {}), {
    message: /acme\.Unknown/,
  });
});

test('fields that were framed apart concatenate to one message', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (parts) => {
        const anyType = registry.type('google.protobuf.Any');
        const framed = parts.map((value) => frameField(2, anyType.encode({ value }).finish()));
        const decoded = responseType.toObject(responseType.decode(Buffer.concat(framed)), { arrays: true });
        const values = (decoded['resources'] as { value?: Uint8Array }[]).map(({ value }) => [...(value ?? [])]);
        t.deepEqual(
          values,
          parts.map((part) => [...part]),
        );
      }),
      { numRuns: 50 },
    ),
  );
});

test('framing bytes and encoding a message are the same', (t) => {
  const bytes = encoder.encode(TypeUrl.endpoint, { clusterName: 'a' });
  t.deepEqual(
    frameResource(TypeUrl.endpoint, 'a', bytes),
    encoder.encodeResource(TypeUrl.endpoint, 'a', { clusterName: 'a' }),
  );
  t.is(contentVersion(bytes), frameResource(TypeUrl.endpoint, 'a', bytes).version);
});
