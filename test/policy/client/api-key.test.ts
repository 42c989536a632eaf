import test from 'ava';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import fc from '../../support/property-testing.js';

const DEFAULT = compileApiSpecs([{ patterns: [] }]);
const NO_HEADERS = headerMapOf([]);
const KEY_HEADER = headerMapOf([['X-API-Key', 'header']]);

test('without APIKeys the query parameter key is tried first', (t) => {
  t.is(DEFAULT.apiKeyFor('/?api_key=second&key=first', KEY_HEADER), 'first');
});

test('without APIKeys the query parameter api_key is tried second', (t) => {
  t.is(DEFAULT.apiKeyFor('/?api_key=second', KEY_HEADER), 'second');
});

test('without APIKeys the header x-api-key is tried third', (t) => {
  t.is(DEFAULT.apiKeyFor('/?other=1', KEY_HEADER), 'header');
  t.is(DEFAULT.apiKeyFor('/?other=1', NO_HEADERS), undefined);
});

test('the default order holds for a service without specs', (t) => {
  t.is(compileApiSpecs([]).apiKeyFor('/?key=k', NO_HEADERS), 'k');
});

test('the first APIKey that matches is used, and the default order is not', (t) => {
  const specs = compileApiSpecs([{ apiKeys: [{ header: 'X-Key' }, { query: 'k' }] }]);
  t.is(specs.apiKeyFor('/?k=query&key=default', headerMapOf([['x-key', 'header']])), 'header');
  t.is(specs.apiKeyFor('/?k=query&key=default', NO_HEADERS), 'query');
  t.is(specs.apiKeyFor('/?key=default', KEY_HEADER), undefined);
});

test('APIKeys of several specs are tried in the order of the specs', (t) => {
  const specs = compileApiSpecs([{ apiKeys: [{ query: 'a' }] }, {}, { apiKeys: [{ query: 'b' }] }]);
  t.is(specs.apiKeyFor('/?b=2&a=1', NO_HEADERS), '1');
  t.is(specs.apiKeyFor('/?b=2', NO_HEADERS), '2');
});

test('an empty key is skipped: the next APIKey is tried', (t) => {
  t.is(DEFAULT.apiKeyFor('/?key=&api_key=second', NO_HEADERS), 'second');
  t.is(DEFAULT.apiKeyFor('/?key&api_key=second', NO_HEADERS), 'second');
  t.is(DEFAULT.apiKeyFor('/?key=&key=again', NO_HEADERS), 'again');
  const specs = compileApiSpecs([{ apiKeys: [{ header: 'x-key' }, { query: 'k' }] }]);
  t.is(specs.apiKeyFor('/?k=query', headerMapOf([['x-key', '']])), 'query');
});

test('the first value that is not empty in a repeated header is the key', (t) => {
  const key = (...values: string[]) => DEFAULT.apiKeyFor('/', headerMapOf(values.map((value) => ['x-api-key', value])));
  t.is(key('ada', 'other-1'), 'ada');
  t.is(key('ada', 'other-2'), 'ada', 'nobody gets another key by a second value');
  t.is(key('', ' ada ', 'other'), 'ada');
  t.is(key('ada, other'), 'ada', 'one line or two: Envoy tells both alike');
  t.is(key('', ','), undefined);
});

const TARGETS: readonly (readonly [string, string | undefined])[] = [
  ['/?key=a%2Bb', 'a+b'],
  ['/?key=a+b', 'a+b'],
  ['/?key=caf%C3%A9', 'caf\u00e9'],
  ['/?k%65y=named', 'named'],
  ['/?key=100%', '100%'],
  ['/?key=%zz%41', '%zzA'],
  ['/?key=%FF', '\ufffd'],
  ['/?key=a=b', 'a=b'],
  ['/?&&key=k&', 'k'],
  ['/?a?key=no', undefined],
  ['/?key=k#fragment', 'k'],
  ['/#?key=k', undefined],
  ['/key=k', undefined],
  ['', undefined],
];

for (const [target, key] of TARGETS) {
  test(`the key in ${JSON.stringify(target)} is ${JSON.stringify(key)}`, (t) => {
    t.is(DEFAULT.apiKeyFor(target, NO_HEADERS), key);
  });
}

test('no target makes the extraction throw, and every encoded key is found again', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('%', '&', '=', '?', '#', '4', 'F', 'key', '\ud800') }), (target) => {
      t.notThrows(() => DEFAULT.apiKeyFor(target, NO_HEADERS));
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (key) => {
      t.is(DEFAULT.apiKeyFor(`/?x=1&key=${encodeURIComponent(key)}&y`, NO_HEADERS), key);
    }),
  );
});
