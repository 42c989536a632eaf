import { fileURLToPath } from 'node:url';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import test from 'ava';
import type { CheckRequest__Output } from '../../src/generated/policy/mesh/policy/v1/CheckRequest.js';
import type { CheckResponse__Output } from '../../src/generated/policy/mesh/policy/v1/CheckResponse.js';
import type { ReportRequest__Output } from '../../src/generated/policy/mesh/policy/v1/ReportRequest.js';
import protoFiles from '../../src/policy/proto-files.json' with { type: 'json' };
import fc from '../support/property-testing.js';

const definition = loadSync(protoFiles, {
  includeDirs: [fileURLToPath(new URL('../../../proto', import.meta.url))],
  longs: String,
  enums: String,
  bytes: Buffer,
});
const service = definition['mesh.policy.v1.Policy'] as ServiceDefinition;

function method(name: string): MethodDefinition<object, object> {
  const found = service[name];
  if (found === undefined) throw new Error(`mesh.policy.v1.Policy has no method ${name}`);
  return found;
}

test('Policy has the unary methods Check and Report', (t) => {
  const summary = Object.values(service).map(({ path, requestStream, responseStream }) => ({
    path,
    isUnary: !requestStream && !responseStream,
  }));
  t.deepEqual(summary, [
    { path: '/mesh.policy.v1.Policy/Check', isUnary: true },
    { path: '/mesh.policy.v1.Policy/Report', isUnary: true },
  ]);
});

test('a CheckRequest is decoded as it was encoded', (t) => {
  const { requestSerialize, requestDeserialize } = method('Check');
  const request: CheckRequest__Output = {
    attributes: {
      words: ['source.user', 'ann', 'request.headers', 'x-tier'],
      strings: { [-1]: -2, 7: -2 },
      int64s: { 8: '9223372036854775807', [-3]: '-9223372036854775808' },
      doubles: { 9: 0.1 },
      bools: { 10: false },
      bytes: { 11: Buffer.from([0, 255]) },
      timestamps: { 12: { seconds: '-1', nanos: 999_999_999 } },
      durations: { 13: { seconds: '86400', nanos: 1 } },
      stringMaps: { [-3]: { entries: { [-4]: -2 } } },
    },
    globalWordCount: 14,
    deduplicationId: 'uuid1',
    quotas: { rate: { amount: '3', bestEffort: true } },
  };
  t.deepEqual(requestDeserialize(requestSerialize(request)), request);
});

test('a CheckResponse is decoded as it was encoded', (t) => {
  const { responseSerialize, responseDeserialize } = method('Check');
  const response: CheckResponse__Output = {
    precondition: {
      status: { code: 7, message: 'no' },
      validDuration: { seconds: '1', nanos: 500_000_000 },
      validUseCount: -1,
      referencedAttributes: {
        attributeMatches: [
          { name: 'source.user', condition: 'ABSENCE' },
          { name: 'request.headers', mapKey: '', condition: 'EXACT' },
          { name: 'request.path', condition: 'REGEX' },
        ],
      },
      routeDirective: { directResponseCode: 418, directResponseBody: 'teapot' },
    },
    quotas: {
      rate: { validDuration: { seconds: '60' }, grantedAmount: '-1', status: { code: 14 }, referencedAttributes: {} },
    },
  };
  t.deepEqual(responseDeserialize(responseSerialize(response)), response);
});

test('whether referenced attributes, a duration and a map key are there at all survives the wire', (t) => {
  const { responseSerialize, responseDeserialize } = method('Check');
  const send = (precondition: object) =>
    (responseDeserialize(responseSerialize({ precondition })) as CheckResponse__Output).precondition;
  t.deepEqual(send({ referencedAttributes: {} })?.referencedAttributes, {});
  t.is(send({ validUseCount: 1 })?.referencedAttributes, undefined);
  t.deepEqual(send({ validDuration: {} })?.validDuration, {});
  t.is(send({ validUseCount: 1 })?.validDuration, undefined);
});

test('a ReportRequest is decoded as it was encoded', (t) => {
  const { requestSerialize, requestDeserialize } = method('Report');
  const request: ReportRequest__Output = {
    attributes: [{ strings: { [-1]: -2 } }, { bools: { [-3]: true } }],
    defaultWords: ['a', 'b', 'c'],
    globalWordCount: 200,
  };
  t.deepEqual(requestDeserialize(requestSerialize(request)), request);
});

const VALUES = {
  stringValue: fc.string(),
  int64Value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  doubleValue: fc.double({ noNaN: true }),
  boolValue: fc.boolean(),
  bytesValue: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  timestampValue: fc.record({ seconds: fc.integer().map(String), nanos: fc.nat(999_999_999) }),
  durationValue: fc.record({ seconds: fc.integer().map(String), nanos: fc.nat(999_999_999) }),
  stringMapValue: fc.record({
    entries: fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
      fc.string(),
    ),
  }),
};

for (const [member, value] of Object.entries(VALUES)) {
  test(`an AttributeValue with ${member} is decoded as it was encoded`, async (t) => {
    const protobuf = (await import('protobufjs')).default;
    const root = new protobuf.Root();
    root.resolvePath = (_origin, target) =>
      target.startsWith('google/') ? target : fileURLToPath(new URL(`../../../proto/${target}`, import.meta.url));
    const type = (await root.load(protoFiles)).lookupType('mesh.policy.v1.Attributes');
    const options = { longs: String, bytes: Buffer, defaults: true, oneofs: true };
    fc.assert(
      fc.property(value as fc.Arbitrary<unknown>, (content) => {
        const message = { attributes: { name: { [member]: content } } };
        const bytes = type.encode(type.fromObject(message)).finish();
        const sent = type.toObject(type.decode(bytes), options)['attributes'].name;
        t.deepEqual(sent, { [member]: content, value: member });
      }),
      { numRuns: 50 },
    );
  });
}
