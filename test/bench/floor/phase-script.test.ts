import test from 'ava';
import { TemplateCollector } from '../../../bench/client/recording.js';
import { buildPhaseScript } from '../../../bench/floor/phase-script.js';
import { readResponseHead } from '../../../bench/wire/discovery-response.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';

const encoder = createMessageEncoder(loadProtoRegistry());
const RESPONSE = encoder.encode('envoy.service.discovery.v3.DiscoveryResponse', {
  versionInfo: 'v',
  typeUrl: TypeUrl.cluster,
  nonce: 'n',
});
const TEMPLATE = { typeUrl: TypeUrl.cluster, ordinal: 0, bytes: RESPONSE };

function scriptOfSize(sizeBytes: number): Buffer {
  const message = { typeUrl: TypeUrl.cluster, afterRequests: 1, sizeBytes };
  const [[scripted] = []] = buildPhaseScript({ clients: [[message]], templates: [TEMPLATE] });
  if (scripted === undefined) throw new Error('nothing was scripted');
  return scripted.bytes;
}

test('a message larger than its template is padded to its size and still reads the same', (t) => {
  const head = readResponseHead(RESPONSE);
  for (const missing of [0, 3, 4, 127, 129, 130, 131, 132, 16_386, 16_387, 16_388, 16_389, 3_000_000]) {
    const bytes = scriptOfSize(RESPONSE.length + missing);
    t.is(bytes.length, RESPONSE.length + missing, `${missing} bytes more`);
    t.deepEqual(readResponseHead(bytes), head);
  }
});

test('one or two bytes, too few for a field, are left out', (t) => {
  t.is(scriptOfSize(RESPONSE.length + 1).length, RESPONSE.length);
  t.is(scriptOfSize(RESPONSE.length + 2).length, RESPONSE.length);
});

test('messages of the same type, ordinal and size share one Buffer among all clients', (t) => {
  const message = { typeUrl: TypeUrl.cluster, afterRequests: 1, sizeBytes: RESPONSE.length + 10 };
  const [first, second, third] = buildPhaseScript({
    clients: [[message], [message], [{ ...message, sizeBytes: RESPONSE.length + 20 }]],
    templates: [TEMPLATE],
  });
  t.is(first?.[0]?.bytes, second?.[0]?.bytes);
  t.not(first?.[0]?.bytes, third?.[0]?.bytes);
});

test('the nth message of a type is made from the nth template', (t) => {
  const later = Buffer.concat([RESPONSE, Buffer.from([0x18, 0x01])]);
  const message = { typeUrl: TypeUrl.cluster, afterRequests: 1, sizeBytes: 0 };
  const [script] = buildPhaseScript({
    clients: [[message, { ...message, afterRequests: 2 }]],
    templates: [TEMPLATE, { typeUrl: TypeUrl.cluster, ordinal: 1, bytes: later }],
  });
  t.deepEqual(
    script?.map(({ bytes, afterRequests }) => [bytes.length, afterRequests]),
    [
      [RESPONSE.length, 1],
      [later.length, 2],
    ],
  );
});

test('the template is the smallest message that any client received', (t) => {
  const collector = new TemplateCollector();
  for (const size of [5, 3, 4]) collector.add({ ...TEMPLATE, bytes: Buffer.alloc(size) });
  collector.add({ ...TEMPLATE, ordinal: 1, bytes: Buffer.alloc(9) });
  t.deepEqual(
    collector.templates().map(({ ordinal, bytes }) => [ordinal, bytes.length]),
    [
      [0, 3],
      [1, 9],
    ],
  );
});
