import test from 'ava';
import { frameResource } from '../../src/envoy/message-encoder.js';
import { createResponseCache, type ResponseContent } from '../../src/push/response-cache.js';

function contentOf(group: object, size = 10): ResponseContent {
  const body = () => [frameResource('type', 'name', Buffer.alloc(size)).entry];
  return { group, typeUrl: 'type', versionInfo: 'v1', root: 'ROOT', body };
}

test('a group shares one response, whose nonce starts with the ledger root', (t) => {
  const cache = createResponseCache('test', 1000);
  const content = contentOf({});
  const [first, second] = [cache.lease(content, ''), cache.lease(content, '')];
  t.is(first.response, second.response);
  t.is(cache.composed, 1);
  t.regex(first.response.nonce, /^ROOT[0-9a-f-]{36}$/);
});

test('a stream never gets a nonce twice', (t) => {
  const cache = createResponseCache('test', 1000);
  const content = contentOf({});
  const first = cache.lease(content, '');
  const second = cache.lease(content, first.response.nonce);
  t.not(first.response.nonce, second.response.nonce);
});

test('other versions of the same content are other responses', (t) => {
  const cache = createResponseCache('test', 1000);
  const content = contentOf({});
  const first = cache.lease(content, '');
  const second = cache.lease({ ...content, versionInfo: 'v2' }, '');
  t.is(second.response.version, 'v2');
  t.not(first.response, second.response);
});

test('released responses stay within the byte budget, oldest out first', (t) => {
  const cache = createResponseCache('test', 5000);
  const groups = Array.from({ length: 10 }, () => ({}));
  for (const group of groups) cache.lease(contentOf(group, 1000), '').release();
  t.true(cache.heldBytes <= 5000, String(cache.heldBytes));
  t.true(cache.heldBytes > 3000, String(cache.heldBytes));
  const composed = cache.composed;
  cache.lease(contentOf(groups[9] as object, 1000), '').release();
  t.is(cache.composed, composed);
  cache.lease(contentOf(groups[0] as object, 1000), '').release();
  t.is(cache.composed, composed + 1);
});

test('a response in use is kept whatever its size, and freed when its last user lets go', (t) => {
  const cache = createResponseCache('test', 0);
  const content = contentOf({}, 10_000);
  const [first, second] = [cache.lease(content, ''), cache.lease(content, '')];
  first.release();
  first.release();
  t.true(cache.heldBytes > 10_000);
  second.release();
  t.is(cache.heldBytes, 0);
});

test('a response replaced while in use is freed too', (t) => {
  const cache = createResponseCache('test', 0);
  const content = contentOf({}, 10_000);
  const first = cache.lease(content, '');
  const second = cache.lease(content, first.response.nonce);
  first.release();
  second.release();
  t.is(cache.heldBytes, 0);
});
