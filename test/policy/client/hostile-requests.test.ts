import test from 'ava';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import { deriveHttpAttributes } from '../../../src/policy/client/http-attributes.js';
import { referencedValues, referencePattern } from '../../../src/policy/client/referenced-attributes.js';
import { processorMs } from '../../support/processor-ms.js';
import fc from '../../support/property-testing.js';

const API = compileApiSpecs([
  {
    patterns: [
      { httpMethod: 'GET', uriTemplate: '/pets/{id}' },
      { httpMethod: 'GET', uriTemplate: '/words/{term:3}{?q:2}' },
      { httpMethod: '*', regex: '/(a*)*b' },
    ],
    apiKeys: [{ header: 'x-key' }, { query: 'key' }],
  },
]);
const QUOTAS = compileQuotaSpecs([
  {
    rules: [
      { match: [{ clause: { 'request.api_key': { regex: '(k+)+' } } }], quotas: [{ quota: 'keyed' }] },
      { match: [{ clause: { 'request.path': { prefix: '/' } } }], quotas: [{ quota: 'paths' }] },
    ],
  },
]);
const WHOLE_HEADERS = referencePattern([{ name: 'request.headers', condition: 'EXACT' }]);

/** All that the library does with a request before it asks or answers. */
function examine(target: string, headers: readonly (readonly [string, string])[], method = 'GET') {
  const facts = { method, host: 'h', target, headers: headerMapOf(headers), timeNs: 0n, connection: { isMtls: false } };
  const layer = deriveHttpAttributes(facts, API);
  const bag = bagOf(layer);
  const key = WHOLE_HEADERS && referencedValues(WHOLE_HEADERS, bag);
  return { layer, key, charges: QUOTAS.chargesFor(bag) };
}

const HOSTILE_TEXT = fc.string({
  unit: fc.constantFrom(
    '/',
    '%',
    '%2',
    '%00',
    '%ff',
    '?',
    '#',
    '&',
    '=',
    ':',
    '..',
    '\0',
    '\r\n',
    '\ud800',
    '💥',
    'key',
    ',',
  ),
  maxLength: 40,
});
const HEADER_NAME = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', '', ':path', 'x-mesh-attributes', 'X-KEY', 'content-type'),
  HOSTILE_TEXT,
);

test('no path, method or header makes the library throw, and every text that is there becomes an attribute', (t) => {
  fc.assert(
    fc.property(
      HOSTILE_TEXT,
      HOSTILE_TEXT,
      fc.array(fc.tuple(HEADER_NAME, HOSTILE_TEXT)),
      (target, method, headers) => {
        const { layer } = examine(target, headers, method);
        t.is(layer.get('request.path')?.value, target === '' ? undefined : target);
        const seen = layer.get('request.headers');
        const names = new Set(
          headers.map(([name]) => name.toLowerCase()).filter((name) => name !== 'x-mesh-attributes'),
        );
        t.is(seen?.type === 'stringMap' ? seen.value.size : 0, names.size);
      },
    ),
    { numRuns: 500 },
  );
});

test('headers called like members of JavaScript are headers like any other', (t) => {
  const names = ['__proto__', 'constructor', 'hasownproperty', 'toString'];
  const { layer } = examine(
    '/',
    names.map((name) => [name, 'v'] as const),
  );
  const headers = layer.get('request.headers');
  t.deepEqual(
    headers?.type === 'stringMap' ? [...headers.value.keys()] : [],
    names.map((name) => name.toLowerCase()),
  );
});

test('the header of forwarded attributes is never a header of the request, in any spelling and number', (t) => {
  const { layer } = examine('/', [
    ['X-Mesh-Attributes', 'forged'],
    ['x-mesh-ATTRIBUTES', 'again'],
    ['other', 'o'],
  ]);
  const seen = layer.get('request.headers');
  t.deepEqual(seen?.type === 'stringMap' ? [...seen.value] : [], [['other', 'o']]);
});

test('the first of two header values is the key, so that further values make no new consumers', (t) => {
  const { layer } = examine('/', [
    ['x-key', 'mine'],
    ['X-Key', 'theirs'],
  ]);
  t.deepEqual(layer.get('request.api_key'), stringAttribute('mine'));
});

test('10,000 headers and a header of a megabyte are read in time', (t) => {
  const many = Array.from({ length: 10_000 }, (_, index) => [`x-${index}`, 'v'] as const);
  const spentMs = processorMs(() => {
    t.true(examine('/', many).key?.[0]?.includes('m10000:'));
    t.is(examine('/', [['x-key', `${'k'.repeat(1 << 20)}!`]]).charges.length, 1);
    t.is(examine('/', [['x-key', 'k'.repeat(1 << 20)]]).charges.length, 2);
    t.is(
      examine(
        '/',
        Array.from({ length: 10_000 }, () => ['x-key', 'k'] as const),
      ).charges.length,
      2,
    );
  });
  t.true(spentMs < 5_000, `${spentMs} ms`);
});

test('any path of a megabyte is read in time', (t) => {
  const spentMs = processorMs(() => {
    for (const part of ['/', '/a', '%41', '%', '?', '&key=', ':', '/..', 'aaaa', '%zz', '/%2e']) {
      t.is(examine(`/${part.repeat((1 << 20) / part.length)}`, []).layer.get('request.method')?.value, 'GET');
    }
  });
  t.true(spentMs < 10_000, `${spentMs} ms`);
});
