import test from 'ava';
import type { QuotaCounters } from '../../src/introspection/quota-counters.js';
import { policyContext } from '../status/analysis/support.js';
import { serve } from './fixtures/serve.js';

function counters(resets: string[]): QuotaCounters {
  const key = { id: 'abc', values: { 'request.api_key': 'sha256:0123456789ab' }, used: 10, maxAmount: 10 };
  return {
    storage: 'memory',
    use: async () => [
      { quota: 'a/b', maxAmount: 10, validDurationMs: 60_000, window: 'rolling', keys: [key], counters: 7 },
    ],
    reset: async (quota, id) => {
      resets.push(`${quota} ${id}`);
      return id === 'abc';
    },
  };
}

test('the page of quotas shows the use of each key, and resets a counter for callers that may', async (t) => {
  const resets: string[] = [];
  const { port } = await serve(t, { views: { quotas: () => counters(resets) } });
  const url = `http://127.0.0.1:${port}/debug/quotas`;
  const page = await (await fetch(url)).text();
  t.regex(page, /sha256:0123456789ab.*10 of 10.*6 keys with smaller amounts/s);
  const post = (counter: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ counter }), redirect: 'manual', headers });
  const refused = await post('abc/a/b', { origin: 'http://elsewhere.example', 'sec-fetch-site': 'cross-site' });
  t.is(refused.status, 403);
  t.is((await post('abc/a/b', { 'x-forwarded-for': '192.0.2.1' })).status, 403);
  t.deepEqual(resets, []);
  const done = await post('abc/a/b');
  t.deepEqual([done.status, done.headers.get('location')], [303, '/debug/quotas']);
  t.is((await post('other/a/b')).status, 404);
  t.deepEqual(resets, ['a/b abc', 'a/b other']);
});

test('the page of quotas says why nothing is known: a remote server decides, or the storage does not answer', async (t) => {
  const remote = await serve(t, { views: { quotas: () => undefined } });
  const text = async (port: number) => await (await fetch(`http://127.0.0.1:${port}/debug/quotas`)).text();
  t.regex(await text(remote.port), /another server decides/);
  const down = {
    ...counters([]),
    storage: 'redis' as const,
    use: async () => Promise.reject(new Error('Redis is gone')),
    reset: async () => Promise.reject(new Error('Redis is gone')),
  };
  const broken = await serve(t, { views: { quotas: () => down } });
  t.regex(await text(broken.port), /Redis is gone/);
  const url = `http://127.0.0.1:${broken.port}/debug/quotas`;
  const refused = await fetch(url, { method: 'POST', body: new URLSearchParams({ counter: 'abc/a/b' }) });
  t.is(refused.status, 503);
  t.regex(await refused.text(), /^The counter is not reset\. .*\nthis server: Redis is gone$/m);
});

test('a limit of a plan is shown with a link to the plan, its window as a person says it, and the consumer of each key', async (t) => {
  const values = { 'api.consumer': 'shop/acme', 'api.key_id': 'sha256:0123456789ab' };
  const limit = { maxAmount: 10_000, validDurationMs: 2_592_000_000, window: 'month' as const, counters: 1 };
  const use = ['shop/gold month', 'shop/other month'].map((quota) => ({
    ...{ quota, ...limit },
    keys: [{ id: 'k', values, used: 3, maxAmount: 10_000 }],
  }));
  const gold = policyContext('Plan shop/gold {services: [{name: web}]}');
  const { port } = await serve(t, {
    views: { context: () => gold, quotas: () => ({ ...counters([]), use: async () => use }) },
  });
  const page = await (await fetch(`http://127.0.0.1:${port}/debug/quotas`)).text();
  t.regex(
    page,
    /<h2><bdi><a href="[^"]*Plan%2Fshop%2Fgold"[^>]*><bdi>Plan\/shop\/gold<\/bdi><\/a> month<\/bdi> <small>10,000 in 1 calendar month, 1 key/,
  );
  t.regex(page, /<h2><bdi>shop\/other month<\/bdi> <small>10,000 in 1 calendar month/);
  t.regex(page, /api.consumer shop\/acme, api.key_id sha256:0123456789ab/);
});
