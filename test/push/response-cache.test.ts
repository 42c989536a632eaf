import test from 'ava';
import { frameResource } from '../../src/envoy/message-encoder.js';
import { createResponseCache, type ResponseContent } from '../../src/push/response-cache.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';

function contentOf(group: object): ResponseContent {
  const { entry } = frameResource('type', 'name', Buffer.alloc(10));
  return { group, typeUrl: 'type', versionInfo: 'v1', configVersion: 'ROOT', body: () => [entry] };
}

test('a group shares one response, whose nonce starts with the config version', (t) => {
  const cache = createResponseCache('test');
  const content = contentOf({});
  const first = cache.responseFor(content, '');
  t.is(cache.responseFor(content, ''), first);
  t.is(cache.composed, 1);
  t.regex(first.nonce, /^ROOT[0-9a-f-]{36}$/);
});

test('the body of a response is the very Buffer of its content, not a copy', (t) => {
  const content = contentOf({});
  t.is(createResponseCache('test').responseFor(content, '').message.pieces[1], content.body()[0]);
});

test('a stream never gets a nonce twice', (t) => {
  const cache = createResponseCache('test');
  const content = contentOf({});
  const first = cache.responseFor(content, '');
  const second = cache.responseFor(content, first.nonce);
  t.not(first.nonce, second.nonce);
});

test('another version, or another config version, of the same content is another response', (t) => {
  const cache = createResponseCache('test');
  const content = contentOf({});
  const first = cache.responseFor(content, '');
  const second = cache.responseFor({ ...content, versionInfo: 'v2' }, '');
  const third = cache.responseFor({ ...content, versionInfo: 'v2', configVersion: 'ELSE' }, '');
  t.is(second.version, 'v2');
  t.is(new Set([first.nonce, second.nonce, third.nonce]).size, 3);
});

test('other content is another response', (t) => {
  const cache = createResponseCache('test');
  t.not(cache.responseFor(contentOf({}), ''), cache.responseFor(contentOf({}), ''));
});

test('the bytes of a written response are not kept with its resources', async (t) => {
  const cache = createResponseCache('test');
  const content = contentOf({});
  const written = new WeakRef(cache.responseFor(content, '').message);
  await eventually('they are given back', () => {
    collectGarbage();
    return written.deref() === undefined;
  });
  t.is(cache.responseFor(content, '').message.pieces[1], content.body()[0]);
});
