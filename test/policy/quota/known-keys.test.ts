import { createHash } from 'node:crypto';
import test from 'ava';
import type { KeyList, QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { createAttributeBag, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { createQuotaRig } from './quota-rig.js';

const DIMENSION = { text: 'request.api_key', attribute: 'request.api_key' };
const sha256 = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

function setUp(keys: Partial<KeyList>, file = '') {
  const limit: QuotaLimit = {
    name: 'requests',
    maxAmount: 2,
    validDurationMs: 60_000,
    window: 'rolling',
    dimensions: [DIMENSION],
    overrides: [],
    keys: { dimension: DIMENSION, values: [], ...keys },
  };
  const limits = [limit, { ...limit, name: 'other', keys: { dimension: DIMENSION, values: ['gold'] } }];
  const { handler, scrape } = createQuotaRig({ limits, maxCounters: 10, readKeyFile: () => file });
  const ask = async (key: string | undefined, quotas = ['requests']) => {
    const layer = new Map(key === undefined ? [] : [['request.api_key', stringAttribute(key)] as const]);
    const attributes = createAttributeBag({
      staticFilter: EMPTY_LAYER,
      requestDerived: layer,
      ignoreForwarded: false,
      isGateway: false,
    });
    const params = new Map(quotas.map((quota) => [quota, { amount: 1, bestEffort: false }]));
    const options = { timeoutMs: 1000, signal: new AbortController().signal };
    const { precondition, quotas: granted } = await handler.answer(
      { attributes, deduplicationId: '', quotas: params },
      options,
    );
    return { ...precondition?.status, granted: granted.get('requests')?.grantedAmount };
  };
  return { handler, limits, ask, scrape };
}

test('a known key is counted, plain or by its hash, of the configuration or a file', async (t) => {
  const file = `# partners\n${sha256('hashed in a file')}\n\n  in a file  \r\n`;
  const { ask } = setUp({ values: ['plain', sha256('hashed')], file: 'keys' }, file);
  for (const key of ['plain', 'hashed', 'hashed in a file', 'in a file']) {
    t.like(await ask(key), { code: 'OK', granted: 1 }, key);
  }
});

test('an unknown key, and a request without one, is refused with 403 and not counted', async (t) => {
  const { ask, scrape } = setUp({ values: ['plain'] });
  for (const key of ['invented', undefined, '', sha256('plain'), '# partners']) {
    t.deepEqual(await ask(key), {
      code: 'PERMISSION_DENIED',
      message: 'The key of the request (request.api_key) is not known for quota: requests',
      granted: undefined,
    });
  }
  const text = await scrape();
  t.true(text.includes('policy_server_quota_unknown_keys_total{quota="requests"} 5'));
  t.false(text.includes('policy_server_quota_charges_total{'));
});

test('a request with a key that one of its quotas does not know charges no quota', async (t) => {
  const { ask } = setUp({ values: ['plain', 'gold'] });
  t.is((await ask('plain', ['requests', 'other'])).code, 'PERMISSION_DENIED');
  t.is((await ask('gold', ['requests', 'other'])).code, 'OK');
  for (let n = 0; n < 2; n++) t.is((await ask('plain')).granted, 1, 'nothing was charged before');
});

test('a key that is added counts at once', async (t) => {
  const { handler, limits, ask } = setUp({ values: ['plain'] });
  t.is((await ask('new')).code, 'PERMISSION_DENIED');
  handler.update(limits.map((limit) => ({ ...limit, keys: { dimension: DIMENSION, values: ['new'] } })));
  t.is((await ask('new')).code, 'OK');
});
