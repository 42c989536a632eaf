import test from 'ava';
import { isLoopbackAddress } from '../../src/base/ip-address.js';
import { type Caller, isLoopbackCaller, plainAddress, refusalOf } from '../../src/introspection/access.js';
import { createPages } from '../../src/introspection/page-table.js';
import { call } from './fixtures/http-client.js';
import { serve } from './fixtures/serve.js';

const LOCAL: Caller = { peerAddress: '127.0.0.1', localAddress: '127.0.0.1', host: 'localhost:8080', relayed: false };
const POLICY = { mayReadConfiguration: isLoopbackCaller, ownNames: ['meshd.example'] };

test('loopback is 127.0.0.0/8 and ::1, mapped or not, and nothing else', (t) => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
    t.true(isLoopbackAddress(address), address);
  }
  for (const address of ['', '10.0.0.1', '::ffff:10.0.0.1', '0.0.0.0', '::', 'fe80::1', 'localhost', '128.0.0.1']) {
    t.false(isLoopbackAddress(address), address);
  }
});

test('an address is shown without IPv6 mapping and zone', (t) => {
  t.is(plainAddress('::ffff:10.1.2.3'), '10.1.2.3');
  t.is(plainAddress('fe80::1%eth0'), 'fe80::1');
  t.is(plainAddress('not an address'), 'not an address');
});

test('a host header may name loopback, the listener itself or a configured name', (t) => {
  const localAddress = '10.2.3.4';
  for (const host of [
    'localhost',
    'LOCALHOST:9999',
    'localhost.',
    'app.localhost',
    '127.0.0.1:15014',
    '[::1]:8080',
    '10.2.3.4:8080',
    'meshd.example:8080',
  ]) {
    t.is(refusalOf({ ...LOCAL, localAddress, host }, POLICY), undefined, host);
  }
  for (const host of [
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.2.3.5',
    'user@localhost',
    'localhost:80:80',
    '[::1',
    'localhost evil',
  ]) {
    t.regex(refusalOf({ ...LOCAL, localAddress, host }, POLICY) ?? '', /Host header/, host);
  }
});

test('a request of another origin is refused', (t) => {
  t.is(refusalOf({ ...LOCAL, origin: 'http://localhost:8080' }, POLICY), undefined);
  for (const origin of ['null', 'https://localhost:8080', 'http://localhost:3000', 'http://evil.example', '']) {
    t.regex(refusalOf({ ...LOCAL, origin }, POLICY) ?? '', /another origin/, origin);
  }
});

test("a browser's request is accepted from the page itself and from the address bar only", (t) => {
  for (const fetchSite of ['same-origin', 'none']) t.is(refusalOf({ ...LOCAL, fetchSite }, POLICY), undefined);
  for (const fetchSite of ['cross-site', 'same-site', '', 'unknown']) {
    t.regex(refusalOf({ ...LOCAL, fetchSite }, POLICY) ?? '', /another site/, fetchSite);
  }
});

test('a caller from another machine and a caller behind a proxy are refused', (t) => {
  t.regex(refusalOf({ ...LOCAL, peerAddress: '10.0.0.7' }, POLICY) ?? '', /same machine/);
  t.regex(refusalOf({ ...LOCAL, peerAddress: '' }, POLICY) ?? '', /same machine/);
  t.regex(refusalOf({ ...LOCAL, relayed: true }, POLICY) ?? '', /same machine/);
});

test('a caller that the access policy accepts may call from any address', (t) => {
  const caller = { ...LOCAL, peerAddress: '10.0.0.7', localAddress: '10.2.3.4', host: '10.2.3.4:8080' };
  t.is(refusalOf(caller, { ...POLICY, mayReadConfiguration: () => true }), undefined);
});

/** Calls from 127.0.0.2 count as calls from another machine. */
const ONLY_FIRST_LOOPBACK = { mayReadConfiguration: (caller: Caller) => caller.peerAddress === '127.0.0.1' };

test('every debug page refuses a caller from another machine; ready, metrics and version answer any caller', async (t) => {
  const { port } = await serve(t, { access: ONLY_FIRST_LOOPBACK });
  const open = [];
  for (const { path } of createPages()) {
    const { status, headers, body } = await call(port, path, { localAddress: '127.0.0.2' });
    if (status === 200) open.push(path);
    else {
      t.is(status, 403, path);
      t.is(headers['content-type'], 'text/plain; charset=utf-8');
      t.regex(body, /same machine/);
    }
  }
  t.deepEqual(open, ['/metrics', '/ready', '/version']);
});

const FOREIGN = {
  'a foreign Host': { host: 'evil.example' },
  'a foreign Origin': { origin: 'http://evil.example' },
  'a cross-site fetch': { 'sec-fetch-site': 'cross-site' },
  'a relayed request': { 'x-forwarded-for': '10.0.0.7' },
};

for (const [what, headers] of Object.entries(FOREIGN)) {
  test(`${what} is refused on debug pages in any spelling, and pushes nothing`, async (t) => {
    let pushes = 0;
    const { port } = await serve(t, { views: { triggerPush: () => ++pushes } });
    for (const path of ['/debug', '/debug/', '/DEBUG/SYNCZ', '/debug/adsz?push=true', '//localhost/debug']) {
      const { status } = await call(port, path, { headers });
      t.true(status === 403 || status === 404, `${path}: ${status}`);
    }
    t.is(pushes, 0);
    t.is((await call(port, '/ready', { headers })).status, 200);
  });
}

test('no answer carries a CORS header, and all forbid framing, sniffing and caching', async (t) => {
  const { port } = await serve(t);
  for (const path of ['/debug', '/debug/syncz', '/metrics', '/ready', '/none']) {
    const { headers } = await call(port, path, { headers: { origin: `http://127.0.0.1:${port}` } });
    t.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
      path,
    );
    t.like(headers, {
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    t.is(headers['x-powered-by'], undefined);
  }
});

test('a refusal is logged with its reason', async (t) => {
  const { port, log } = await serve(t);
  await call(port, '/debug/syncz', { headers: { host: 'evil.example' } });
  t.like(log[0], { level: 'debug', message: 'debug page refused', fields: { path: '/debug/syncz' } });
});
