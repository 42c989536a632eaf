import test from 'ava';
import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../../../src/config/policy/bound-specs.js';
import { MAX_BUCKET_KINDS } from '../../../../src/model/policy/fast/bucket-kinds.js';
import { bucketKindsFor, readFastSpecs } from '../../../../src/model/policy/fast/fast-specs.js';
import type { QuotaShapes } from '../../../../src/model/policy/fast/quota-shapes.js';
import { buildService } from '../../../generators/context-builder.js';

type Clause = BoundQuotaSpec['rules'][number]['match'][number]['clause'];

const SERVICE = buildService({ hostname: 'web.shop.svc.cluster.local', name: 'web', namespace: 'shop' });

const shapesOf = (dimensions: Readonly<Record<string, readonly string[]>>): QuotaShapes =>
  new Map(Object.entries(dimensions).map(([quota, each]) => [quota, { dimensions: each, hasKeyList: false }]));
const SHAPES = shapesOf({ all: [], other: [] });

function fastSpec(...rules: readonly Partial<BoundQuotaSpec['rules'][number]>[]): BoundQuotaSpec {
  return {
    enforcement: 'fast',
    rules: rules.map((rule) => ({ match: [], quotas: [{ quota: 'all', charge: 1 }], ...rule })),
  };
}

const withClause = (clause: Clause, ...others: readonly Clause[]) =>
  fastSpec({ match: [clause, ...others].map((each) => ({ clause: each })) });

function read(spec: BoundQuotaSpec, shapes = SHAPES, apis: readonly BoundHttpApiSpec[] = []) {
  const fast = readFastSpecs(SERVICE, [spec], apis, shapes);
  const kinds = bucketKindsFor(fast, {});
  return { kinds, obstacles: [...(fast.obstacles.get(spec) ?? [])].map(({ field, reason }) => `${field}: ${reason}`) };
}

const CONDITIONS: readonly (readonly [title: string, clause: Clause, part: object])[] = [
  ['a method', { 'request.method': { exact: 'GET' } }, { type: 'header', name: ':method' }],
  ['a path with its query', { 'request.path': { prefix: '/a' } }, { type: 'header', name: ':path' }],
  ['a header', { 'request.headers[x-user]': { regex: 'a+' } }, { type: 'header', name: 'x-user' }],
  ['a query parameter', { 'request.query_params[q]': { exact: '1' } }, { type: 'query', name: 'q' }],
  ['a host', { 'request.host': { exact: 'web' } }, { type: 'header', name: ':authority' }],
  ['a path alone', { 'request.url_path': { exact: '/a' } }, { type: 'urlPath' }],
  ['the identity of the client', { 'source.principal': { exact: 'td/ns/a/sa/b' } }, { type: 'sourcePrincipal' }],
  ['the same by its other name', { 'source.user': { prefix: 'td/ns/a/' } }, { type: 'sourcePrincipal' }],
];

for (const [title, clause, part] of CONDITIONS) {
  test(`proxies test ${title}`, (t) => {
    const { kinds, obstacles } = read(withClause(clause));
    t.deepEqual(obstacles, []);
    t.like(kinds[0]?.conditions[0]?.[0]?.[0], { part });
  });
}

const HIDDEN: readonly (readonly [title: string, clause: Clause, expected: RegExp])[] = [
  ['the caller', { 'source.namespace': { exact: 'shop' } }, /source\.namespace.*cannot see/],
  ['a regular expression for an identity', { 'source.user': { regex: '.*' } }, /identity.*exact and prefix alone/],
  ['a length', { 'request.size': { exact: '1' } }, /request\.size.*cannot see/],
  ['a regular expression for a path alone', { 'request.url_path': { regex: 'a' } }, /exact and prefix alone/],
  ['a regular expression for a constant', { 'destination.service.name': { regex: 'a' } }, /write exact or prefix/],
  ['a pseudo-header as header', { 'request.headers[:path]': { exact: '/' } }, /cannot see/],
  ['a plan', { 'api.plan': { exact: 'shop/gold' } }, /api\.plan.*cannot see/],
  ['a consumer', { 'api.consumer': { exact: 'shop/acme' } }, /api\.consumer.*cannot see/],
  ['the hash of a key', { 'api.key_id': { exact: 'dc81b088d47d' } }, /api\.key_id.*cannot see/],
  ['a header between proxies', { 'request.headers[x-mesh-attributes]': { exact: 'a' } }, /cannot see/],
];

for (const [title, clause, expected] of HIDDEN) {
  test(`a spec with a condition on ${title} stays exact, and says which`, (t) => {
    const { kinds, obstacles } = read(withClause(clause));
    t.deepEqual(kinds, []);
    t.regex(obstacles.join('\n'), /^rules\[0\]\.match\[0\]\.clause\["/);
    t.regex(obstacles.join('\n'), expected);
  });
}

test('a condition that the service decides is left out, or its clause', (t) => {
  const [kind] = read(withClause({ 'destination.service.namespace': { exact: 'shop' } })).kinds;
  t.deepEqual(kind?.conditions, [], 'it holds for all requests');
  t.deepEqual(read(withClause({ 'destination.service.namespace': { exact: 'other' } })).kinds, []);
  t.deepEqual(read(withClause({ 'request.url_path': { exact: '/a?b' } })).kinds, [], 'a path has no query');
});

test('a quota whose limit is unknown, lists keys or counts by what proxies cannot see stays exact', (t) => {
  t.regex(read(fastSpec({}), new Map()).obstacles.join(), /^rules\[0\]\.quotas\[0\]\.quota: .*no limit/);
  const listed: QuotaShapes = new Map([['all', { dimensions: [], hasKeyList: true }]]);
  t.regex(read(fastSpec({}), listed).obstacles.join(), /lists the keys/);
  for (const dimension of ['source.user', 'api.plan', 'api.consumer', 'api.key_id']) {
    const { kinds, obstacles } = read(fastSpec({}), shapesOf({ all: [dimension] }));
    t.deepEqual(kinds, []);
    t.true(obstacles.join().includes(`counts by ${dimension}, which proxies cannot see`), dimension);
  }
});

test('a spec that tells callers what is left, or that gives requests back, or that is in a dry run, stays exact, and says why', (t) => {
  const told = read({ ...fastSpec({}), rateLimitHeaders: true });
  t.deepEqual(told, { kinds: [], obstacles: ['rateLimitHeaders: proxies do not tell callers what is left'] });
  const refunding = read({ ...fastSpec({}), refund: { responseCodes: ['5xx'] } });
  t.deepEqual(refunding, { kinds: [], obstacles: ['refund: proxies cannot give back what a request was charged'] });
  const tried = read({ ...fastSpec({}), dryRun: true });
  t.deepEqual(tried, { kinds: [], obstacles: ['dryRun: proxies cannot let requests pass that exceed their shares'] });
  t.is(read({ ...fastSpec({}), rateLimitHeaders: false, dryRun: false }).kinds.length, 1);
});

test('the dimensions of limits are keys of buckets', (t) => {
  const shapes = shapesOf({ all: ['source.ip', 'request.headers[x-user]', 'destination.service.name'] });
  const [kind] = read(fastSpec({}), shapes).kinds;
  t.deepEqual(
    kind?.keys.map(({ dimension, type }) => [dimension, type]),
    [
      ['destination.service.name', 'constant'],
      ['request.headers[x-user]', 'found'],
      ['source.ip', 'found'],
    ],
  );
});

const apiSpec = (fields: Partial<BoundHttpApiSpec>): BoundHttpApiSpec => ({ patterns: [], apiKeys: [], ...fields });

test('API keys are where HTTPAPISpecs say, or else in the usual places', (t) => {
  const shapes = shapesOf({ all: ['request.api_key'] });
  const placesOf = (apis: readonly BoundHttpApiSpec[]) =>
    read(fastSpec({}), shapes, apis).kinds[0]?.keys.flatMap((key) =>
      key.type === 'found' ? key.places.map(({ part }) => ('name' in part ? part.name : part.type)) : [],
    );
  t.deepEqual(placesOf([]), ['key', 'api_key', 'x-api-key']);
  t.deepEqual(placesOf([apiSpec({ apiKeys: [{ header: 'X-Token' }, { query: 'token' }] })]), ['x-token', 'token']);
  const ofWorkloads = apiSpec({ apiKeys: [{ query: 'k' }], workloads: [{ labels: { version: 'v2' } }] });
  t.regex(read(fastSpec({}), shapes, [ofWorkloads]).obstacles.join(), /request\.api_key/);
});

test('attributes that operations of an API set are not for proxies', (t) => {
  const api = apiSpec({ attributes: { attributes: { 'request.method': { stringValue: 'X' } } } });
  t.regex(read(withClause({ 'request.method': { exact: 'X' } }), SHAPES, [api]).obstacles.join(), /cannot see/);
});

test('charges of the rules that a request meets add up, and the rule of most conditions comes first', (t) => {
  const spec = fastSpec(
    { quotas: [{ quota: 'all', charge: 1 }] },
    { match: [{ clause: { 'request.method': { exact: 'POST' } } }], quotas: [{ quota: 'all', charge: 4 }] },
    { match: [{ clause: { 'request.headers[x]': { prefix: 'a' } } }], quotas: [{ quota: 'other', charge: 2 }] },
  );
  t.deepEqual(
    read(spec).kinds.map(({ conditions, charges }) => [conditions.length, Object.fromEntries(charges)]),
    [
      [2, { all: 5, other: 2 }],
      [1, { all: 5 }],
      [1, { all: 1, other: 2 }],
      [0, { all: 1 }],
    ],
  );
});

test('rules that no request can meet together make no common kind', (t) => {
  const rules = Array.from({ length: 40 }, (_, index) => ({
    match: [{ clause: { 'request.url_path': { exact: `/${index}` } } }],
    quotas: [{ quota: 'all', charge: index + 1 }],
  }));
  t.is(read(fastSpec(...rules)).kinds.length, 40);
});

test('rules for different identities make no common kind, by whatever name', (t) => {
  const rules = Array.from({ length: 20 }, (_, index) => ({
    match: [{ clause: { [index % 2 === 0 ? 'source.user' : 'source.principal']: { exact: `td/ns/a/sa/${index}` } } }],
    quotas: [{ quota: 'all', charge: index + 1 }],
  }));
  t.is(read(fastSpec(...rules)).kinds.length, 20);
});

test('rules that divide requests into too many kinds stay exact', (t) => {
  const rules = Array.from({ length: 7 }, (_, index) => ({
    match: [{ clause: { [`request.headers[x-${index}]`]: { exact: 'a' } } }],
    quotas: [{ quota: 'all', charge: index + 1 }],
  }));
  const { kinds, obstacles } = read(fastSpec(...rules));
  t.deepEqual(kinds, []);
  t.regex(obstacles.join(), new RegExp(`^rules: .*more than ${MAX_BUCKET_KINDS} kinds`));
});

test('a rule for some workloads is applied by those alone', (t) => {
  const spec = fastSpec({ workloads: [{ labels: { version: 'v2' } }] });
  const fast = readFastSpecs(SERVICE, [spec], [], SHAPES);
  t.is(bucketKindsFor(fast, { version: 'v2', app: 'web' }).length, 1);
  t.is(bucketKindsFor(fast, { version: 'v1' }).length, 0);
});

test('specs without fast, charges of 0 and quotas without a name are nothing for proxies', (t) => {
  t.deepEqual(read({ rules: fastSpec({}).rules }).kinds, []);
  t.deepEqual(read(fastSpec({ quotas: [{ quota: 'all', charge: 0 }, { charge: 1 }] })).kinds, []);
});
