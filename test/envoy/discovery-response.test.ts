import test from 'ava';
import { composeDiscoveryResponse } from '../../src/envoy/discovery-response.js';
import { frameResource } from '../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import fc from '../support/property-testing.js';

const responseType = loadProtoRegistry().type('envoy.service.discovery.v3.DiscoveryResponse');

test('protobuf reads a composed response as exactly its header and its resources', (t) => {
  const text = fc.string({ maxLength: 40 });
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.record({ versionInfo: text, typeUrl: text, nonce: text, controlPlane: text }),
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }),
        (header, contents) => {
          const body = contents.map((bytes) => frameResource(header.typeUrl, 'name', bytes).entry);
          const decoded = responseType.toObject(
            responseType.decode(Buffer.concat(composeDiscoveryResponse(header, body).pieces)),
            {
              arrays: true,
              defaults: true,
            },
          );
          t.is(decoded['versionInfo'], header.versionInfo);
          t.is(decoded['typeUrl'], header.typeUrl);
          t.is(decoded['nonce'], header.nonce);
          t.deepEqual(decoded['controlPlane'], { identifier: header.controlPlane });
          const anys = decoded['resources'] as { type_url: string; value: Uint8Array }[];
          t.deepEqual(
            anys.map(({ type_url, value }) => [type_url, [...value]]),
            contents.map((bytes) => [header.typeUrl, [...bytes]]),
          );
        },
      ),
      { numRuns: 100 },
    ),
  );
});

test('an empty response still tells type, version and nonce', (t) => {
  const header = { versionInfo: 'v', typeUrl: 't', nonce: 'n', controlPlane: 'c' };
  const bytes = Buffer.concat(composeDiscoveryResponse(header, []).pieces);
  t.deepEqual(responseType.toObject(responseType.decode(bytes)), {
    versionInfo: 'v',
    typeUrl: 't',
    nonce: 'n',
    controlPlane: { identifier: 'c' },
  });
});
