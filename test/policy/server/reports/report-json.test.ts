import test from 'ava';
import { type AttributeBag, bagOf } from '../../../../src/policy/client/attribute-bag.js';
import {
  type AttributeValue,
  boolAttribute,
  bytesAttribute,
  doubleAttribute,
  durationAttribute,
  int64Attribute,
  stringAttribute,
  stringMapAttribute,
  timestampAttribute,
} from '../../../../src/policy/client/attribute-value.js';
import { reportJson } from '../../../../src/policy/server/reports/report-json.js';

const bag = (attributes: Readonly<Record<string, AttributeValue>>): AttributeBag =>
  bagOf(new Map(Object.entries(attributes)));

const VALUES: readonly (readonly [string, string, AttributeValue, unknown])[] = [
  ['a text', 'request.host', stringAttribute('books'), 'books'],
  ['a whole number', 'response.code', int64Attribute(200), 200],
  ['the largest whole number that JSON keeps', 'n', int64Attribute(2n ** 53n - 1n), 9_007_199_254_740_991],
  ['a larger one', 'n', int64Attribute(2n ** 53n), '9007199254740992'],
  ['the smallest one of 64 bits', 'n', int64Attribute(-(2n ** 63n)), '-9223372036854775808'],
  ['a number', 'n', doubleAttribute(1.5), 1.5],
  ['a number that is none', 'n', doubleAttribute(Number.NaN), 'NaN'],
  ['true', 'connection.mtls', boolAttribute(true), true],
  ['an IPv4 address', 'source.ip', bytesAttribute(Uint8Array.of(10, 0, 0, 1)), '10.0.0.1'],
  [
    'an IPv6 address',
    'origin.ip',
    bytesAttribute(Uint8Array.from({ length: 16 }, (_, i) => (i === 15 ? 1 : 0))),
    '::1',
  ],
  ['an address of no known length', 'destination.ip', bytesAttribute(Uint8Array.of(1, 2, 3)), 'AQID'],
  ['other bytes', 'some.bytes', bytesAttribute(Uint8Array.of(1, 2, 3, 4)), 'AQIDBA=='],
  ['a time', 'request.time', timestampAttribute(1_795_271_864_398_569_001n), '2026-11-21T14:37:44.398569001Z'],
  ['a time beyond all calendars', 'request.time', timestampAttribute(2n ** 63n * 1000n), String(2n ** 63n * 1000n)],
  ['a duration', 'response.duration', durationAttribute(1_500_000_000n), '1.5s'],
  [
    'a map',
    'response.headers',
    stringMapAttribute(
      new Map([
        ['a', 'b'],
        ['__proto__', 'c'],
      ]),
    ),
    JSON.parse('{"a":"b","__proto__":"c"}'),
  ],
];

for (const [what, name, value, expected] of VALUES) {
  test(`${what} is written as ${JSON.stringify(expected)}`, (t) => {
    const json = JSON.parse(JSON.stringify(reportJson(bag({ [name]: value })))) as Record<string, unknown>;
    t.deepEqual(Object.keys(json), [name]);
    t.deepEqual(json[name], expected);
  });
}

test('attributes are written in the order of their names', (t) => {
  const json = reportJson(bag({ b: int64Attribute(1), a: int64Attribute(2), c: int64Attribute(3) }));
  t.deepEqual(Object.keys(json), ['a', 'b', 'c']);
});

const KEY = 'k-secret/1 ü';
const HASH = /^sha256:[0-9a-f]{12}$/;

test('an API key is shown as a short hash wherever it stands, the same everywhere', (t) => {
  const json = reportJson(
    bag({
      'request.api_key': stringAttribute(KEY),
      'request.path': stringAttribute(`/books/1?a=b&token=${encodeURIComponent(KEY)}&page=2`),
      'request.referer': stringAttribute(`https://shop.example/?token=${encodeURIComponent(KEY)}`),
      'request.query_params': stringMapAttribute(
        new Map([
          ['a', 'b'],
          ['token', KEY],
        ]),
      ),
      'request.headers': stringMapAttribute(
        new Map([
          ['my-key', KEY],
          ['accept', '*/*'],
        ]),
      ),
    }),
  );
  const text = JSON.stringify(json);
  t.false(text.includes('secret'), text);
  const hashed = String(json['request.api_key']);
  t.regex(hashed, HASH);
  t.deepEqual(json['request.query_params'], { a: 'b', token: hashed });
  t.deepEqual(json['request.headers'], { 'my-key': hashed, accept: '*/*' });
  t.is(json['request.path'], `/books/1?a=b&token=${hashed}&page=2`);
});

test('credentials outside of the API key are hidden by their names', (t) => {
  const json = reportJson(
    bag({
      'request.path': stringAttribute('/books?key=secret1&access_token=secret2&api_key=secret3&page=2&flag'),
      'request.headers': stringMapAttribute(
        new Map(['authorization', 'cookie', 'x-api-key', 'proxy-authorization'].map((name) => [name, 'secret4'])),
      ),
      'response.headers': stringMapAttribute(
        new Map([
          ['set-cookie', 'secret5'],
          ['x-other', 'shown'],
        ]),
      ),
      'request.query_params': stringMapAttribute(
        new Map([
          ['key', 'secret1'],
          ['page', '2'],
        ]),
      ),
    }),
  );
  const text = JSON.stringify(json);
  t.false(text.includes('secret'), text);
  t.true(String(json['request.path']).endsWith('&page=2&flag'));
  t.is((json['response.headers'] as Record<string, string>)['x-other'], 'shown');
});

test('different credentials have different hashes', (t) => {
  const of = (key: string) => reportJson(bag({ 'request.api_key': stringAttribute(key) }))['request.api_key'];
  t.is(of('one'), of('one'));
  t.not(of('one'), of('two'));
});
