import { inspect } from 'node:util';
import test from 'ava';
import {
  createDefaultPolicyServerConfig,
  createPolicyServerConfigReader,
} from '../../../src/config/policy-server/read-policy-server-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { formatFinding } from '../../../src/config/violation.js';
import { parseSettings } from '../../../src/sources/settings/parse-settings.js';
import { processorMs } from '../../support/processor-ms.js';

const read = createPolicyServerConfigReader(createSchemaCompiler());

function valueOf(content: unknown) {
  const result = read(content);
  if (result.type === 'invalid') throw new Error(result.violations.map(formatFinding).join('\n'));
  return result.value;
}

function findingsOf(content: unknown): readonly string[] {
  const result = read(content);
  return (result.type === 'invalid' ? result.violations : result.warnings).map(formatFinding);
}

const RATE = { name: 'rate', maxAmount: 10, validDuration: '1m' };

test('an empty file limits nothing and counts in memory', (t) => {
  t.deepEqual(read(undefined), { type: 'valid', value: createDefaultPolicyServerConfig(), warnings: [] });
  t.deepEqual(createDefaultPolicyServerConfig().storage, { type: 'memory', maxCounters: 100_000 });
});

test('by default, a quota has a rolling window, one counter and no overrides', (t) => {
  t.deepEqual(valueOf({ quotas: [RATE] }).quotas, [
    { name: 'rate', maxAmount: 10, validDurationMs: 60_000, window: 'rolling', dimensions: [], overrides: [] },
  ]);
});

test('dimensions are attributes or entries of maps; an override inherits missing fields', (t) => {
  const [quota] = valueOf({
    quotas: [
      {
        ...RATE,
        window: 'fixed',
        dimensions: ['request.api_key', 'request.headers[X-User]', 'labels[Team]'],
        overrides: [
          { dimensions: { 'request.api_key': 'gold' }, maxAmount: 100 },
          { dimensions: { 'request.headers[x-USER]': 'ann', 'labels[Team]': '' }, validDuration: '1.5s' },
        ],
      },
    ],
  }).quotas;
  t.deepEqual(quota?.dimensions, [
    { text: 'request.api_key', attribute: 'request.api_key' },
    { text: 'request.headers[x-user]', attribute: 'request.headers', mapKey: 'x-user' },
    { text: 'labels[Team]', attribute: 'labels', mapKey: 'Team' },
  ]);
  t.deepEqual(quota?.overrides, [
    { dimensions: new Map([['request.api_key', 'gold']]), maxAmount: 100, validDurationMs: 60_000 },
    {
      dimensions: new Map([
        ['request.headers[x-user]', 'ann'],
        ['labels[Team]', ''],
      ]),
      maxAmount: 10,
      validDurationMs: 1500,
    },
  ]);
});

test('values at the limits are valid', (t) => {
  const quotas = [
    { name: 'least', maxAmount: 0, validDuration: '1ms' },
    { name: 'most', maxAmount: Number.MAX_SAFE_INTEGER, validDuration: '8784h' },
  ];
  t.deepEqual(
    valueOf({ quotas }).quotas.map(({ maxAmount, validDurationMs }) => [maxAmount, validDurationMs]),
    [
      [0, 1],
      [9_007_199_254_740_991, 31_622_400_000],
    ],
  );
});

test('a Redis has a default database, prefix and timeout', (t) => {
  t.deepEqual(valueOf({ storage: { type: 'redis', address: 'redis://cache' } }).storage, {
    type: 'redis',
    address: { host: 'cache', port: 6379, database: 0, isTls: false },
    keyPrefix: 'navigator:quota',
    timeoutMs: 500,
  });
  t.deepEqual(
    valueOf({
      storage: {
        type: 'redis',
        address: 'rediss://[::1]:7000/3',
        passwordFile: '/etc/redis/password',
        caFile: '/etc/redis/ca.pem',
        keyPrefix: 'shop',
        timeout: '50ms',
      },
    }).storage,
    {
      type: 'redis',
      address: { host: '::1', port: 7000, database: 3, isTls: true },
      passwordFile: '/etc/redis/password',
      caFile: '/etc/redis/ca.pem',
      keyPrefix: 'shop',
      timeoutMs: 50,
    },
  );
});

test('a remote backend is plaintext and caches by default', (t) => {
  t.deepEqual(valueOf({ backend: { address: 'limits.example.com:443' } }).backend, {
    address: 'limits.example.com:443',
    transport: { disableCheckCache: false, disableQuotaCache: false, disableReportBatch: false },
  });
  t.deepEqual(
    valueOf({
      reports: { log: true },
      backend: { address: '[::1]:9', tls: { caFile: 'ca.pem' }, transport: { disableQuotaCache: true } },
    }),
    {
      ...createDefaultPolicyServerConfig(),
      reports: { log: true },
      backend: {
        address: '[::1]:9',
        tls: { caFile: 'ca.pem' },
        transport: { disableCheckCache: false, disableQuotaCache: true, disableReportBatch: false },
      },
    },
  );
});

test('by default, Checks beyond the capacity of the server are shed after half a second', (t) => {
  t.deepEqual(valueOf({}).overload, { shed: true, shedAfterMs: 500, maxPendingChecks: 10_000 });
  const overload = { shed: false, shedAfter: '2s', maxPendingChecks: 7 };
  t.deepEqual(valueOf({ overload }).overload, { shed: false, shedAfterMs: 2000, maxPendingChecks: 7 });
});

const quota = (fields: object) => ({ quotas: [{ ...RATE, ...fields }] });
const redis = (fields: object) => ({ storage: { type: 'redis', address: 'redis://cache:6379/0', ...fields } });
const byKey = (...overrides: readonly object[]) => quota({ dimensions: ['request.api_key', 'source.uid'], overrides });

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ['no name', quota({ name: '' }), 'quotas[0].name: "": is empty; it is: Name of the quota, as QuotaSpecs use it'],
  [
    'no limit',
    { quotas: [{ name: 'rate', validDuration: '1m' }] },
    'quotas[0].maxAmount: is missing; add it: Units per window; 0 rejects all requests',
  ],
  [
    'an overload that is noticed too late',
    { overload: { shedAfter: '2m' } },
    'overload.shedAfter: "2m": is so long that Checks time out first; use 1m or less, or set overload.shed to false',
  ],
  ['a negative limit', quota({ maxAmount: -1 }), 'quotas[0].maxAmount: -1: is out of range; use 0 to 9007199254740991'],
  [
    'a limit that no double holds exactly',
    quota({ maxAmount: 2 ** 53 }),
    'quotas[0].maxAmount: 9007199254740992: is out of range; use 0 to 9007199254740991',
  ],
  ['half a unit', quota({ maxAmount: 1.5 }), 'quotas[0].maxAmount: 1.5: is a number, not an integer; give an integer'],
  [
    'no window at all',
    quota({ validDuration: '0s' }),
    'quotas[0].validDuration: "0s": is shorter than 1ms; use for example 500ms, 1.5s or 10m',
  ],
  [
    'a window of microseconds',
    quota({ validDuration: '1500us' }),
    'quotas[0].validDuration: "1500us": is finer than a millisecond; round it to milliseconds',
  ],
  [
    'a window of years',
    quota({ validDuration: '8784h1s' }),
    'quotas[0].validDuration: "8784h1s": is longer than 366 days; use 8784h or less',
  ],
  [
    'a window that is no duration',
    quota({ validDuration: 'soon' }),
    'quotas[0].validDuration: "soon": is not a duration; use for example 500ms, 1.5s or 10m',
  ],
  [
    'an unknown kind of window',
    quota({ window: 'sliding' }),
    'quotas[0].window: "sliding": is not one of the allowed values; use fixed, rolling',
  ],
  [
    'a name given twice',
    { quotas: [RATE, { ...RATE, maxAmount: 5 }] },
    'quotas[1].name: "rate": is the name of quotas[0] too; list each quota once; use overrides for limits of certain values',
  ],
  [
    'a dimension that is no attribute',
    quota({ dimensions: ['request.headers[x-user'] }),
    'quotas[0].dimensions[0]: "request.headers[x-user": is not an attribute; use the name of an attribute, such as request.api_key, or an entry of a map, such as request.headers[x-user]',
  ],
  [
    'a dimension given twice, in other letters',
    quota({ dimensions: ['request.headers[a]', 'request.headers[A]'] }),
    'quotas[0].dimensions[1]: "request.headers[A]": is the same as dimensions[0]; remove one of them',
  ],
  [
    'an override of an attribute that is not counted by',
    byKey({ dimensions: { 'source.ip': '10.0.0.1' }, maxAmount: 1 }),
    'quotas[0].overrides[0].dimensions["source.ip"]: is not a dimension of this quota; use one of request.api_key, source.uid, or add it to the dimensions of the quota',
  ],
  [
    'an override of a quota without dimensions',
    quota({ overrides: [{ dimensions: { 'source.uid': 'a' }, maxAmount: 1 }] }),
    'quotas[0].overrides[0].dimensions["source.uid"]: is not a dimension of this quota; add it to the dimensions of the quota',
  ],
  [
    'an override for no values',
    byKey({ dimensions: {}, maxAmount: 1 }),
    "quotas[0].overrides[0].dimensions: {}: has no values; name the values that the override applies to, or change the quota's own limit",
  ],
  [
    'an override without effect',
    byKey({ dimensions: { 'source.uid': 'a' } }),
    'quotas[0].overrides[0]: changes nothing; set maxAmount, validDuration or both',
  ],
  [
    'two overrides for the same values',
    byKey(
      { dimensions: { 'source.uid': 'a', 'request.api_key': 'b' }, maxAmount: 1 },
      { dimensions: { 'source.uid': 'a' }, maxAmount: 1 },
      { dimensions: { 'request.api_key': 'b', 'source.uid': 'a' }, maxAmount: 2 },
    ),
    'quotas[0].overrides[2].dimensions: has the same values as overrides[0]; remove one of them',
  ],
  [
    'a number as the value of an override',
    byKey({ dimensions: { 'source.uid': 7 }, maxAmount: 1 }),
    'quotas[0].overrides[0].dimensions["source.uid"]: 7: is a number, not a string; put it in quotes',
  ],
  [
    'a storage that is neither',
    { storage: { type: 'disk' } },
    'storage.type: "disk": is not one of the allowed values; use memory, redis',
  ],
  [
    'a Redis without address',
    { storage: { type: 'redis' } },
    'storage.address: is missing; use redis://host:6379/0, or rediss:// for TLS',
  ],
  [
    'an address for memory',
    { storage: { address: 'redis://cache' } },
    'storage.address: is for a storage of type redis; set storage.type to redis, or remove it',
  ],
  [
    'keys without any',
    quota({ dimensions: ['request.api_key'], keys: {} }),
    'quotas[0].keys: has neither values nor a file, so all requests are rejected; add one',
  ],
  [
    'keys of one dimension of several that is not named',
    quota({ dimensions: ['request.api_key', 'source.uid'], keys: { values: ['k'] } }),
    'quotas[0].keys.dimension: is missing, and the quota has 2 dimensions; name the dimension that holds the key',
  ],
  [
    'keys of a dimension that the quota does not have',
    quota({ dimensions: ['request.api_key'], keys: { dimension: 'source.uid', values: ['k'] } }),
    'quotas[0].keys.dimension: "source.uid": is not a dimension of the quota; add it to dimensions',
  ],
  [
    'a bound of counters for Redis',
    redis({ maxCounters: 5 }),
    'storage.maxCounters: is for a storage of type memory; remove it: counters in Redis expire',
  ],
  [
    'two passwords',
    redis({ address: 'redis://:secret@cache', passwordFile: 'p' }),
    'storage.address: contains a password, and passwordFile is set too; remove one of them',
  ],
  [
    'certificates without TLS',
    redis({ caFile: 'ca.pem' }),
    'storage.caFile: has no effect without TLS; use a rediss:// address',
  ],
  [
    'a prefix that would break the hash tag',
    redis({ keyPrefix: 'a}b' }),
    'storage.keyPrefix: "a}b": does not have the required form; it is: redis: prefix of all keys (default navigator:quota): letters, digits and . _ : / -',
  ],
  [
    'a wait longer than that of proxies',
    redis({ timeout: '6s' }),
    'storage.timeout: "6s": is longer than proxies wait for a decision; use 5s or less',
  ],
  [
    'a backend without port',
    { backend: { address: 'limits' } },
    'backend.address: "limits": is not an address; use host:port',
  ],
];

for (const [name, content, finding] of REFUSED) {
  test(`refused: ${name}`, (t) => {
    t.is(read(content).type, 'invalid');
    t.deepEqual(findingsOf(content), [finding]);
  });
}

const NO_ADDRESSES = [
  'cache:6379',
  'http://cache',
  'redis://',
  'redis://:secret@',
  'redis://cache:70000',
  'redis://cache:0',
  'redis://cache/x',
  'redis://cache/0/1',
  'redis://cache?db=1',
  'redis://cache#1',
  'redis://:%ff@cache',
  'redis://a b',
  '',
];

for (const address of NO_ADDRESSES) {
  test(`refused: ${JSON.stringify(address)} as the address of a Redis server, without showing it`, (t) => {
    t.deepEqual(findingsOf(redis({ address })), [
      'storage.address: is not the address of a Redis server; use redis://host:6379/0, or rediss:// for TLS',
    ]);
  });
}

test('only a call of password() returns the password; JSON and logs do not contain it', (t) => {
  const { storage } = valueOf(redis({ address: 'redis://app:s%40cret@cache:6380/2' }));
  if (storage.type !== 'redis') return t.fail();
  t.is(storage.address.password?.(), 's@cret');
  t.is(storage.address.username, 'app');
  t.notRegex(JSON.stringify(storage), /cret/);
  t.notRegex(inspect(storage, { depth: 9, showHidden: true }), /cret/);
});

const LEAKS: readonly (readonly [string, unknown])[] = [
  ['an address in the place of the storage', { storage: 'redis://:hunter2@cache' }],
  ['a list in the place of the address', redis({ address: ['redis://:hunter2@cache'] })],
  ['an invalid address', redis({ address: 'redis:/:hunter2@cache' })],
  ['a password in a field of its own', redis({ password: 'hunter2' })],
  ['a misspelt field at the top', { storge: 'redis://:hunter2@cache' }],
  ['a misspelt field of the storage', redis({ adress: 'redis://:hunter2@cache' })],
  ['an address for memory', { storage: { type: 'memory', address: 'redis://:hunter2@cache' } }],
  ['a wrong type beside it', redis({ address: 'redis://:hunter2@cache', timeout: 5 })],
];

for (const [name, content] of LEAKS) {
  test(`no violation shows a password: ${name}`, (t) => {
    const findings = findingsOf(content);
    t.true(findings.length > 0);
    t.notRegex(findings.join('\n'), /hunter2/);
  });
}

test('quotas together with a backend, and unknown fields, are warnings', (t) => {
  t.deepEqual(findingsOf({ quotas: [{ ...RATE, windw: 'fixed' }], backend: { address: 'limits:1' } }), [
    'quotas[0].windw: is not a known field; did you mean window?',
    'quotas: have no effect, because the backend counts; configure them at the backend, or remove the backend',
  ]);
});

test('a file of 10,000 overrides is read in time, a file with more is refused', (t) => {
  const overrides = Array.from({ length: 10_000 }, (_, n) => ({
    dimensions: { 'request.api_key': `k${n}` },
    maxAmount: n,
  }));
  let config: ReturnType<typeof valueOf> | undefined;
  const spentMs = processorMs(() => {
    config = valueOf(byKey(...overrides));
  });
  t.is(config?.quotas[0]?.overrides.length, 10_000);
  t.true(spentMs < 10_000, `${spentMs} ms`);
  t.deepEqual(findingsOf(byKey(...overrides, { dimensions: { 'source.uid': 'a' }, maxAmount: 1 })), [
    'quotas[0].overrides: a list of 10001: has too many items; give at most 10000',
  ]);
});

test('it reads a watched file, and names the line of a mistake', (t) => {
  const text =
    'quotas:\n- name: rate\n  maxAmount: 10\n  validDuration: 1m\n- name: rate\n  maxAmount: 5\n  validDuration: 1m\n';
  const parsed = parseSettings(text, read);
  t.deepEqual(parsed.type === 'invalid' && parsed.reasons.map((reason) => reason.slice(0, 28)), [
    'line 5: quotas[1].name: "rat',
  ]);
  t.is(parseSettings('', read).type, 'valid');
});

test('a dimension that is unknown at a check is a warning, with the intended name', (t) => {
  const quota = (...dimensions: readonly string[]) => findingsOf({ quotas: [{ ...RATE, dimensions }] });
  const remedy = 'use an attribute that is known at a check (see docs/attributes.md), or set it by an HTTPAPISpec';
  t.deepEqual(quota('source.user', 'request.header[x-user]', 'api.operation'), [
    `quotas[0].dimensions[1]: "request.header[x-user]": does not distinguish callers: there is no attribute request.header (did you mean request.headers[x-user]?); ${remedy}`,
  ]);
  t.deepEqual(quota('response.code'), [
    `quotas[0].dimensions[0]: "response.code": does not distinguish callers: response.code is known only at the end of the request or connection; ${remedy}`,
  ]);
  t.deepEqual(quota('request.headers', 'source.ip', 'destination.service'), []);
  t.deepEqual(quota('request.time'), [
    `quotas[0].dimensions[0]: "request.time": limits nothing: request.time differs for each request or connection; ${remedy}`,
  ]);
});
