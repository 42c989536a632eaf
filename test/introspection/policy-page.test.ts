import test from 'ava';
import { HttpProblem } from '../../src/introspection/http-problem.js';
import type { ExplainedRequest } from '../../src/introspection/views.js';
import { credentialHash } from '../../src/policy/quota/credential-hash.js';
import { serve } from './fixtures/serve.js';

const KEY = 'k+3y/of acme';
const TOKEN = 'token-of-a-person';

function explained(apiKey: string): ExplainedRequest {
  const text = `for request.api_key "${apiKey}"`;
  return {
    service: {
      hostname: 'web.shop.svc.cluster.local',
      endpoints: { healthy: 1, all: 1 },
      mutualTls: 'STRICT',
      authorization: { policies: [] },
      operation: { 'api.operation': `list ${apiKey}` },
      apiSpecs: ['HTTPAPISpec/shop/books'],
      apiKey,
      plans: {
        plans: ['Plan/shop/gold'],
        verdict: 'admitted',
        plan: 'Plan/shop/gold',
        consumer: 'shop/acme',
        limits: [],
      },
      quotas: { charges: [] },
      rules: {
        matching: [
          {
            ...{ object: 'rule/shop/r', open: text },
            calls: [
              {
                ...{ handler: 'handler/shop/h', instance: 'instance/shop/i', variety: 'check' },
                answer: { status: 403, message: `${apiKey} is not listed` },
              },
            ],
            headers: [{ text: `sets the request header x-key to ${apiKey}` }],
          },
        ],
        unmatched: [],
      },
      missing: [],
      notGranted: [],
      attributes: {
        'request.api_key': apiKey,
        'request.path': `/books?page=2&key=${encodeURIComponent(apiKey)}`,
        'request.headers': `authorization=Bearer ${TOKEN}, x-key=${apiKey}`,
      },
    },
    answers: [{ status: 429, certainty: 'possible', because: text, objects: ['Plan/shop/gold'] }],
    dryRun: [],
  };
}

async function pageOf(t: Parameters<typeof serve>[0], apiKey: string, headers: string, url = 'http://web.shop/books') {
  const { port } = await serve(t, { views: { explainRequest: () => explained(apiKey) } });
  const query = new URLSearchParams({ url, headers });
  const page = await (await fetch(`http://127.0.0.1:${port}/debug/policy?${query}`)).text();
  const form = /<form action="\/debug\/policy".*?<\/form>/s.exec(page)?.[0] ?? '';
  const json = await (await fetch(`http://127.0.0.1:${port}/debug/policy?${query}&format=json`)).text();
  return { form, rest: page.replace(form, ''), json };
}

test('credentials that a person types are shown as the beginning of their hashes, and not at all in the form', async (t) => {
  const url = `http://web.shop/books?page=2&key=${encodeURIComponent(KEY)}`;
  const { form, rest, json } = await pageOf(t, KEY, `x-key: ${KEY}\nAuthorization: Bearer ${TOKEN}`, url);
  for (const secret of [KEY, encodeURIComponent(KEY), TOKEN]) t.false(`${form}${rest}${json}`.includes(secret), secret);
  t.true(form.includes('value="http://web.shop/books?page=2&amp;key="'));
  t.regex(form, />x-key: \nAuthorization: <\/textarea>/);
  t.like(JSON.parse(json), {
    question: { url: `http://web.shop/books?page=2&key=${credentialHash(encodeURIComponent(KEY))}` },
    explanation: { answers: [{ because: `for request.api_key "${credentialHash(KEY)}"` }] },
  });
  t.true(rest.includes(credentialHash(KEY)));
  t.true(rest.includes('/books?page=2&amp;key=sha256:'), 'the rest of the path stays');
});

test('a short key is hidden where it is a word, and objects keep their names', async (t) => {
  const { rest } = await pageOf(t, 'gold', 'x-key: gold');
  t.true(rest.includes('Plan/shop/gold'));
  t.deepEqual(rest.replaceAll(/Plan(\/|%2F)shop(\/|%2F)gold/g, '').match(/\bgold\b/g), null);
  const { rest: ofLetter } = await pageOf(t, 'a', 'x-key: a');
  t.true(ofLetter.includes(`${credentialHash('a')} is not listed`));
  t.true(ofLetter.includes('authorization=Bearer'), 'words with the letter stay');
});

test('a header without a colon is not repeated in the error about it', async (t) => {
  const explainRequest = ({ headers: [line = ''] }: { readonly headers: readonly string[] }) => {
    throw new HttpProblem(400, `header ${JSON.stringify(line)} must have the form "Name: value"`);
  };
  const { port } = await serve(t, { views: { explainRequest } });
  const query = new URLSearchParams({ url: 'http://web.shop/', headers: 'x-api-key key-of-acme' });
  const page = await (await fetch(`http://127.0.0.1:${port}/debug/policy?${query}`)).text();
  const json = await (await fetch(`http://127.0.0.1:${port}/debug/policy?${query}&format=json`)).text();
  t.false(`${page}${json}`.includes('key-of-acme'));
  t.regex(
    page,
    /header &quot;sha256:[0-9a-f]{12}&quot; must have the form|header "sha256:[0-9a-f]{12}" must have the form/,
  );
});

test('each rule has a line of its own, with what it does joined by and', async (t) => {
  const { rest } = await pageOf(t, 'k', '');
  const text = (/<dt>Rules<\/dt><dd>(.*?)<\/dd>/s.exec(rest)?.[1] ?? '').replace(/<(?!div|\/div)[^>]*>/g, '');
  t.regex(text, /^<div>rule\/shop\/r.*: check by handler\/shop\/h .* and sets the request header x-key to .*<\/div>$/);
});
