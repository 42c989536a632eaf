import { boundApiSpec, boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { countStatuses, createPolicyMesh } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const SERVICES = ['by-query', 'by-header', 'by-default'] as const;
const ANY_PATH = [{ httpMethod: 'GET', uriTemplate: '/**', operation: 'any' }];
const API_KEYS = {
  'by-query': [{ query: 'token' }],
  'by-header': [{ header: 'X-Token' }, { query: 'token' }],
  'by-default': undefined,
};

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: SERVICES,
    specs: Object.fromEntries(
      SERVICES.map((name) => [
        `${name}.yaml`,
        [
          ...boundApiSpec({ name }, [name], ANY_PATH, API_KEYS[name]),
          ...boundQuotaSpec({ name }, [name], [{ quotas: [{ quota: name, charge: 1 }] }]),
        ],
      ]),
    ),
    limits: SERVICES.map((name) => ({
      name,
      maxAmount: 3,
      dimensions: ['request.api_key'],
      overrides: [{ dimensions: { 'request.api_key': 'gold' }, maxAmount: 7 }],
    })),
  });
});

e2eTest(
  'API keys in a query parameter are counted separately, and a key with an override has a higher limit',
  async (t) => {
    const policy = policyOf(t.context);
    const answers = await Promise.all(
      ['ada', 'bob', 'gold'].map((key) => policy.send('by-query', 15, { path: `/?other=1&token=${key}` })),
    );
    t.deepEqual(answers.map(countStatuses), [
      { 200: 3, 429: 12 },
      { 200: 3, 429: 12 },
      { 200: 7, 429: 8 },
    ]);
  },
);

e2eTest('a percent-encoded API key is the same key', async (t) => {
  const policy = policyOf(t.context);
  t.deepEqual(countStatuses(await policy.send('by-query', 5, { path: '/?token=a%2Bc' })), { 200: 3, 429: 2 });
  t.deepEqual(countStatuses(await policy.send('by-query', 5, { path: '/?token=%61%2bc' })), { 429: 5 });
});

e2eTest('API keys in a header are counted separately, and the case of the header name does not matter', async (t) => {
  const policy = policyOf(t.context);
  const [ada, bob, gold] = await Promise.all(
    ['ada', 'bob', 'gold'].map((key) => policy.send('by-header', 15, { headers: { 'x-token': key } })),
  );
  t.deepEqual(
    [ada, bob, gold].map((answers) => countStatuses(answers ?? [])),
    [
      { 200: 3, 429: 12 },
      { 200: 3, 429: 12 },
      { 200: 7, 429: 8 },
    ],
  );
  const second = await policy.send('by-header', 5, { headers: { 'X-TOKEN': 'ada' }, path: '/?token=new' });
  t.deepEqual(countStatuses(second), { 429: 5 }, 'the first place that has a key decides');
  const third = await policy.send('by-header', 5, { path: '/?token=new' });
  t.deepEqual(countStatuses(third), { 200: 3, 429: 2 }, 'the second place, where the first has none');
});

e2eTest('an API without key locations reads keys from key, api_key and x-api-key, in that order', async (t) => {
  const policy = policyOf(t.context);
  const send = (path: string, key: string) => policy.send('by-default', 5, { path, headers: { 'x-api-key': key } });
  const fresh = { 200: 3, 429: 2 };
  t.deepEqual(countStatuses(await send('/?api_key=second&key=first', 'third')), fresh);
  t.deepEqual(countStatuses(await send('/?key=first&api_key=another', 'another')), { 429: 5 }, 'key is the first');
  t.deepEqual(countStatuses(await send('/?key=&api_key=second', 'third')), fresh, 'an empty key is none');
  t.deepEqual(countStatuses(await send('/?api_key=second', 'another')), { 429: 5 }, 'api_key is the second');
  t.deepEqual(countStatuses(await send('/', 'third')), fresh, 'x-api-key is the third');
  t.deepEqual(countStatuses(await send('/', 'third')), { 429: 5 });
});

e2eTest('requests without an API key share one count', async (t) => {
  const policy = policyOf(t.context);
  t.deepEqual(countStatuses(await policy.send('by-default', 10)), { 200: 3, 429: 7 });
});
