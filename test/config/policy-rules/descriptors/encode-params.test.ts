import test from 'ava';
import protobuf from 'protobufjs';
import { readAdapterConfig } from '../../../../src/config/policy-rules/descriptors/adapter-config.js';
import { formatFinding } from '../../../../src/config/violation.js';
import { descriptorOf } from '../../../support/adapter-descriptors.js';

const PROTO = `syntax = "proto3"; package own.config;
  import "google/protobuf/duration.proto"; import "google/protobuf/timestamp.proto";
  import "google/protobuf/wrappers.proto"; import "google/protobuf/struct.proto";
  message Params {
    string file_path = 1; bool is_on = 2; double share = 3; float part = 4; bytes key = 5;
    int64 a = 6; uint64 b = 7; int32 c = 8; uint32 d = 9; sint32 e = 10; sint64 f = 11;
    fixed32 g = 12; fixed64 h = 13; sfixed32 i = 14; sfixed64 j = 15;
    Level level = 16; repeated int64 sizes = 17; map<string, Inner> inner = 18; map<bool, string> flags = 19;
    google.protobuf.Duration wait = 20; google.protobuf.Timestamp since = 21; google.protobuf.Int64Value limit = 22;
    oneof target { string host = 23; string address = 24; } google.protobuf.Struct any = 25;
    map<int32, string> names = 26; }
  message Inner { repeated string items = 1; Inner next = 2; }
  enum Level { LOW = 0; HIGH = 7; }`;
const CONFIG = readAdapterConfig(descriptorOf(PROTO));
/** Another reader of messages. */
const PARAMS = protobuf.parse(PROTO, new protobuf.Root(), { keepCase: true }).root;
PARAMS.addJSON(protobuf.common.get('google/protobuf/duration.proto')?.nested ?? {});
PARAMS.addJSON(protobuf.common.get('google/protobuf/struct.proto')?.nested ?? {});
PARAMS.addJSON(protobuf.common.get('google/protobuf/wrappers.proto')?.nested ?? {});
PARAMS.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});

/** What an adapter reads of parameters. */
function received(params: unknown): unknown {
  const encoded = CONFIG.encode(params);
  if ('violations' in encoded) throw new Error(encoded.violations.map(formatFinding).join('\n'));
  const type = PARAMS.lookupType(encoded.config?.message ?? '');
  return type.toObject(type.decode(Buffer.from(encoded.config?.value ?? '', 'base64')), {
    longs: String,
    enums: String,
    bytes: String,
  });
}

function problems(params: unknown): readonly string[] {
  const encoded = CONFIG.encode(params);
  return 'violations' in encoded ? encoded.violations.map(formatFinding) : [];
}

test('an adapter reads the parameters that a handler has', (t) => {
  const texts = {
    a: '-9223372036854775808',
    b: '18446744073709551615',
    f: '-9007199254740993',
    h: '9007199254740993',
    j: '-1',
  };
  const plain = {
    file_path: '/x',
    is_on: true,
    share: 0.5,
    part: 2,
    key: 'AQI=',
    ...texts,
    c: -5,
    d: 4294967295,
    e: -7,
    g: 9,
    i: -9,
    level: 'HIGH',
    sizes: ['1', '2'],
    inner: { x: { items: ['a', 'b'], next: { items: ['c'] } } },
    flags: { true: 'yes' },
    host: 'h',
  };
  t.deepEqual(received({ ...plain, wait: '1m0.5s', since: '1969-12-31T23:59:59.5Z', limit: 5 }), {
    ...plain,
    wait: { seconds: '60', nanos: 500_000_000 },
    since: { seconds: '-1', nanos: 500_000_000 },
    limit: { value: '5' },
  });
});

test('names may be written in both spellings, enums as numbers, and null is absent', (t) => {
  t.deepEqual(received({ filePath: '/x', isOn: null, level: 7, names: { 7: 'seven' } }), {
    file_path: '/x',
    level: 'HIGH',
    names: { 7: 'seven' },
  });
});

const REFUSED: readonly (readonly [params: unknown, problem: string])[] = [
  [{ file_pth: '/x' }, 'params.file_pth: "/x": is not a field of own.config.Params; did you mean file_path?'],
  [
    { file_path: 5 },
    'params.file_path: 5: is no value of the type string; use a text, in quotes if it looks like a number',
  ],
  [
    { c: 2 ** 31 },
    'params.c: 2147483648: is no value of the type int32; use a whole number from -2147483648 to 2147483647',
  ],
  [{ b: -1 }, 'params.b: -1: is no value of the type uint64; use a whole number from 0 to 18446744073709551615'],
  [{ level: 'MIDDLE' }, 'params.level: "MIDDLE": is no value of own.config.Level; use one of LOW, HIGH'],
  [{ sizes: 1 }, 'params.sizes: 1: is not a list; use a list'],
  [
    { sizes: [1, 'x'] },
    `params.sizes[1]: "x": is no value of the type int64; use a whole number from ${-(2n ** 63n)} to ${2n ** 63n - 1n}`,
  ],
  [{ inner: { x: 5 } }, 'params.inner.x: 5: is not a mapping; write fields as "name: value"'],
  [{ wait: 5 }, 'params.wait: 5: is no google.protobuf.Duration; use for example 500ms or 10m'],
  [{ since: 'now' }, 'params.since: "now": is no google.protobuf.Timestamp; use for example 2026-01-31T12:00:00Z'],
  [{ host: 'h', address: 'a' }, 'params.address: "a": is set beside host; keep one of them'],
  [{ filePath: 'a', file_path: 'b' }, 'params.file_path: "b": is set beside filePath; keep one of them'],
  [{ any: {} }, 'params.any: is of the type google.protobuf.Struct, which parameters cannot have; remove it'],
  [{ flags: { yes: 'x' } }, 'params.flags.yes: "yes": is no value of the type bool; use true or false'],
  [{ key: 'no' }, 'params.key: "no": is no value of the type bytes; use bytes in base64'],
  [[], 'params: []: is not a mapping; write fields as "name: value"'],
  [
    { file_path: 'x'.repeat(70_000) },
    'params: are 70004 bytes as a message, more than 65536; use fewer or shorter values',
  ],
];

for (const [params, problem] of REFUSED) {
  test(`parameters are refused: ${problem}`, (t) => {
    t.deepEqual(problems(params), [problem]);
  });
}

test('parameters nest as deep as the limit', (t) => {
  const deep = (levels: number): object => (levels === 0 ? {} : { next: deep(levels - 1) });
  t.deepEqual(problems({ inner: { x: deep(10) } }), []);
  t.regex(problems({ inner: { x: deep(20) } })[0] ?? '', /has more than 16 levels; use fewer levels$/);
});

test('an adapter without a descriptor takes no parameters', (t) => {
  const config = readAdapterConfig('');
  t.deepEqual(config.encode({}), { config: undefined });
  const encoded = config.encode({ a: 1 });
  t.deepEqual('violations' in encoded && encoded.violations.map(formatFinding), [
    'params.a: is set, but the adapter has no parameters; remove it, or describe the message Params in config of the adapter',
  ]);
});

test('a descriptor without the message Params is refused', (t) => {
  t.is(
    t.throws(() => readAdapterConfig(descriptorOf('syntax = "proto3"; package own; message Other {}')))?.message,
    'has no message Params',
  );
});
