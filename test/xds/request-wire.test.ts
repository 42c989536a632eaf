import test from 'ava';
import { inOneStep } from '../../src/base/steps.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { readNode } from '../../src/xds/node-wire.js';
import { readDiscoveryRequest, readResourceNames } from '../../src/xds/request-wire.js';
import fc from '../support/property-testing.js';

const registry = loadProtoRegistry();
const requestType = registry.type('envoy.service.discovery.v3.DiscoveryRequest');
const nodeType = registry.type('envoy.config.core.v3.Node');

function encode(request: object): Buffer {
  return Buffer.from(requestType.encode(requestType.fromObject(request)).finish());
}

test('any request reads as protobufjs would decode it', (t) => {
  const requests = fc.record({
    versionInfo: fc.string(),
    resourceNames: fc.array(fc.string(), { maxLength: 8 }),
    typeUrl: fc.string(),
    responseNonce: fc.string(),
    errorDetail: fc.option(fc.record({ code: fc.integer({ min: 0, max: 20 }), message: fc.string() })),
    node: fc.option(fc.record({ id: fc.string() })),
    resourceLocators: fc.array(fc.record({ name: fc.string() }), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(requests, (request) => {
      const read = readDiscoveryRequest(encode(request));
      t.is(read.versionInfo, request.versionInfo);
      t.is(read.typeUrl, request.typeUrl);
      t.is(read.responseNonce, request.responseNonce);
      t.deepEqual(inOneStep(readResourceNames(read.encodedNames)), request.resourceNames);
      t.deepEqual(read.errorDetail, request.errorDetail === null ? undefined : request.errorDetail);
      t.is(read.node === undefined, request.node === null);
    }),
  );
});

test('names that are not next to each other are all read', (t) => {
  const [first, second] = [['a'], ['b', 'c']].map((resourceNames) => encode({ resourceNames, typeUrl: 'x' }));
  const read = readDiscoveryRequest(Buffer.concat([first as Buffer, second as Buffer]));
  t.deepEqual(inOneStep(readResourceNames(read.encodedNames)), ['a', 'b', 'c']);
});

test('names that are known already are read the same, and so are names that only begin like them', (t) => {
  const names = fc.array(fc.constantFrom('a', 'b', 'cc', ''), { maxLength: 6 });
  fc.assert(
    fc.property(names, names, (known, resourceNames) => {
      const hint = Buffer.from(readDiscoveryRequest(encode({ resourceNames: known })).encodedNames);
      const read = readDiscoveryRequest(encode({ versionInfo: 'v', resourceNames, typeUrl: 't' }), {
        knownNames: [{ bytes: hint, count: known.length }],
      });
      t.deepEqual(inOneStep(readResourceNames(read.encodedNames)), resourceNames);
      t.is(read.typeUrl, 't');
    }),
  );
});

test('random bytes are read or rejected', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        const read = readDiscoveryRequest(Buffer.from(bytes));
        t.is(typeof read.typeUrl, 'string');
      } catch (error) {
        t.true(error instanceof Error);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a node gives its id, metadata and locality, without its extensions', (t) => {
  const bytes = nodeType
    .encode(
      nodeType.fromObject({
        id: 'sidecar~1.2.3.4~a.b~b.svc.c',
        cluster: 'x',
        metadata: {
          fields: {
            NAMESPACE: { stringValue: 'b' },
            LABELS: { structValue: { fields: { app: { stringValue: 'a' } } } },
          },
        },
        locality: { region: 'r', zone: 'z', subZone: 's' },
        userAgentName: 'envoy',
        userAgentBuildVersion: { version: { majorNumber: 1, minorNumber: 40, patch: 2 } },
        extensions: [{ name: 'envoy.filters.http.router', category: 'x' }],
      }),
    )
    .finish();
  t.deepEqual(readNode(bytes), {
    id: 'sidecar~1.2.3.4~a.b~b.svc.c',
    metadata: { NAMESPACE: 'b', LABELS: { app: 'a' } },
    locality: { region: 'r', zone: 'z', subZone: 's' },
    userAgentName: 'envoy',
    userAgentVersion: '1.40.2',
  });
});

test('a version that the client sends as text is read too', (t) => {
  const bytes = nodeType.encode(nodeType.fromObject({ id: 'x', userAgentVersion: '1.2.3' })).finish();
  t.is(readNode(bytes).userAgentVersion, '1.2.3');
});

test('a request with thousands of other fields is refused before they are read', (t) => {
  const fields = Buffer.alloc(2_002, Buffer.from([0x22, 0]));
  t.throws(() => readDiscoveryRequest(fields), { message: /more than 1000 fields/ });
  t.notThrows(() => readDiscoveryRequest(fields.subarray(2)));
});
