import test from 'ava';
import type { CheckRequest } from '../../../src/generated/policy/mesh/policy/v1/CheckRequest.js';
import type { CompressedAttributes } from '../../../src/generated/policy/mesh/policy/v1/CompressedAttributes.js';
import type { ReportRequest } from '../../../src/generated/policy/mesh/policy/v1/ReportRequest.js';
import { GLOBAL_WORDS } from '../../../src/policy/wire/global-words.js';
import { createPolicyCodec } from '../../../src/policy/wire/policy-codec.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';
import { PolicyWireError } from '../../../src/policy/wire/policy-wire-error.js';
import { processorMs } from '../../support/processor-ms.js';
import fc from '../../support/property-testing.js';

const protos = loadPolicyProtos();
const codec = createPolicyCodec(protos);

function encode(name: string, message: object): Uint8Array {
  const type = protos.type(`mesh.policy.v1.${name}`);
  return type.encode(type.fromObject(message as Record<string, unknown>)).finish();
}

function checkOf(attributes: CompressedAttributes, fields: CheckRequest = {}): Uint8Array {
  return encode('CheckRequest', { attributes, globalWordCount: 10, deduplicationId: 'x', ...fields });
}

const BAD_CHECKS: readonly (readonly [string, Uint8Array, string])[] = [
  [
    'a number below the words of the message',
    checkOf({ words: ['a'], strings: { [-1]: -2 } }),
    'attributes.strings[-1] is word -2, but the message has 1 words: send the word',
  ],
  [
    'the least number that there is',
    checkOf({ bools: { [-(2 ** 31)]: true } }),
    'attributes.bools[-2147483648] is word -2147483648, but the message has 0 words: send the word',
  ],
  [
    'a number above what the sender says that it knows',
    checkOf({ strings: { 0: 10 } }),
    'attributes.strings[0] is word 10 of the protocol, but global_word_count is 10: send the number of known words',
  ],
  [
    'a number above what the receiver knows',
    checkOf({ int64s: { 5000: 1 } }, { globalWordCount: 4_294_967_295 }),
    `attributes.int64s[5000] is word 5000 of the protocol, but the receiver knows only ${GLOBAL_WORDS.length}: limit the sender to these, or update the receiver`,
  ],
  [
    'a name of two types',
    checkOf({ words: ['api.name'], int64s: { [-1]: 1 }, bools: { [-1]: true } }),
    'attributes.bools[-1] repeats "api.name": send one value for a name',
  ],
  [
    'a name that the dictionary has twice',
    checkOf({ words: ['api.name', 'api.name'], int64s: { [-1]: 1, [-2]: 1 } }),
    'attributes.int64s[-2] repeats "api.name": send one value for a name',
  ],
  [
    'a key of a map that occurs twice',
    checkOf({ words: ['m', 'k', 'k'], stringMaps: { [-1]: { entries: { [-2]: -1, [-3]: -1 } } } }),
    'attributes.string_maps[-1].entries[-3] repeats "k": send one value for a key',
  ],
  [
    'a word of a map that is not there',
    checkOf({ words: ['m'], stringMaps: { [-1]: { entries: { [-1]: -9 } } } }),
    'attributes.string_maps[-1].entries[-1] is word -9, but the message has 1 words: send the word',
  ],
  [
    'a timestamp with too many nanoseconds',
    checkOf({ timestamps: { 0: { seconds: 1, nanos: 1_000_000_000 } } }),
    'attributes.timestamps[0].nanos is 1000000000: write 0 to 999999999',
  ],
  [
    'a timestamp with negative nanoseconds',
    checkOf({ timestamps: { 0: { seconds: 1, nanos: -1 } } }),
    'attributes.timestamps[0].nanos is -1: write 0 to 999999999',
  ],
  [
    'a duration of two signs',
    checkOf({ durations: { 0: { seconds: 1, nanos: -1 } } }),
    'attributes.durations[0].nanos is -1 beside 1 seconds: write up to 999999999 with the sign of the seconds',
  ],
  [
    'a deduplication id that would fill the memory',
    checkOf({}, { deduplicationId: 'x'.repeat(100_000) }),
    'deduplication_id has 100000 characters: send 256 at most, the same for all attempts at one call',
  ],
  [
    'a charge of nothing',
    checkOf({}, { quotas: { rate: {} } }),
    'quotas["rate"].amount is 0: charge 1 to 9007199254740991',
  ],
  [
    'a negative charge, which would give back',
    checkOf({}, { quotas: { rate: { amount: -5 } } }),
    'quotas["rate"].amount is -5: charge 1 to 9007199254740991',
  ],
  [
    'a charge that is no exact number',
    checkOf({}, { quotas: { rate: { amount: '9007199254740993' } } }),
    'quotas["rate"].amount is 9007199254740993: charge 1 to 9007199254740991',
  ],
];

for (const [what, bytes, message] of BAD_CHECKS) {
  test(`a Check with ${what} is refused with its problem`, (t) => {
    t.throws(() => codec.decodeCheckRequest(bytes), { instanceOf: PolicyWireError, message });
  });
}

test('a small message that repeats a long word thousands of times is refused before it has grown', (t) => {
  const long = 'x'.repeat(1_000_000);
  const names = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  const strings = Object.fromEntries(names.map((_, index) => [-2 - index, -1]));
  const bytes = checkOf({ words: [long, ...names], strings });
  t.true(bytes.length < 1_100_000);
  t.throws(() => codec.decodeCheckRequest(bytes), {
    message: 'attributes have more than 4194304 characters: send fewer or shorter ones',
  });
  const report: ReportRequest = {
    defaultWords: [long],
    attributes: Array.from({ length: 200 }, () => ({ strings: { [-1]: -1 } })),
  };
  t.throws(() => codec.decodeReportRequest(encode('ReportRequest', report)), { message: /more than 134217728 char/ });
});

test('many attributes are read in linear time', (t) => {
  const count = 100_000;
  const words = Array.from({ length: count }, (_, index) => `name${index}`);
  const bools = Object.fromEntries(words.map((_, index) => [-1 - index, true]));
  const bytes = checkOf({ words, bools });
  const spentMs = processorMs(() => {
    const { attributes } = codec.decodeCheckRequest(bytes);
    t.is(attributes.get(`name${count - 1}`)?.value, true);
  });
  // Quadratic work would take minutes.
  t.true(spentMs < 10_000, `${spentMs} ms`);
});

test('a message of more reports than a server takes at once is refused before they are read', (t) => {
  const empty = Buffer.from([0x0a, 0x00]);
  t.is(codec.decodeReportRequest(Buffer.concat(Array(10_000).fill(empty))).attributes.length, 10_000);
  t.throws(() => codec.decodeReportRequest(Buffer.concat(Array(2_000_000).fill(empty))), {
    instanceOf: PolicyWireError,
    message: /has 2000000 reports: send at most 10000 at once/,
  });
});

test('a report uses its own words, and the default words only when it has none', (t) => {
  const report: ReportRequest = {
    defaultWords: ['a', 'default'],
    attributes: [{ strings: { [-1]: -2 } }, { words: ['a', 'own'], strings: { [-1]: -2 } }],
  };
  const { attributes } = codec.decodeReportRequest(encode('ReportRequest', report));
  t.deepEqual(
    attributes.map((bag) => bag.get('a')?.value),
    ['default', 'own'],
  );
  const short = { defaultWords: ['a', 'default'], attributes: [{}, { words: ['a'], strings: { [-1]: -2 } }] };
  t.throws(() => codec.decodeReportRequest(encode('ReportRequest', short)), {
    message: 'attributes[1].strings[-1] is word -2, but the message has 1 words: send the word',
  });
});

test('invalid bytes are refused, always with a PolicyWireError', (t) => {
  t.throws(() => codec.decodeCheckRequest(Buffer.from([0x0a, 0x7f])), {
    instanceOf: PolicyWireError,
    message: /^CheckRequest cannot be decoded: /,
  });
  const decoders = [codec.decodeCheckRequest, codec.decodeCheckResponse, codec.decodeReportRequest];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...decoders), (bytes, decode) => {
      try {
        decode(bytes);
        t.pass();
      } catch (error) {
        t.true(error instanceof PolicyWireError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('a message that was damaged on its way is read or refused with a PolicyWireError', (t) => {
  const whole = checkOf({
    words: ['a', 'b'],
    strings: { [-1]: -2 },
    timestamps: { 1: { seconds: 5, nanos: 6 } },
    stringMaps: { 2: { entries: { 3: -1 } } },
  });
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (position, byte) => {
      const damaged = Uint8Array.from(whole);
      damaged[position] = byte;
      try {
        codec.decodeCheckRequest(damaged);
        t.pass();
      } catch (error) {
        t.true(error instanceof PolicyWireError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
