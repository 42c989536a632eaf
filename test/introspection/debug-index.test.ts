import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { FRAME_SCRIPT } from '../../src/introspection/web/frame-script.js';
import { call } from './fixtures/http-client.js';
import { connection, context, meshObject, service, watch } from './fixtures/mesh.js';
import { serve } from './fixtures/serve.js';

const ACKED = watch(TypeUrl.cluster, { sentNonce: 'a', ackedNonce: 'a' });

test('the index lists every page, sorted, with its description', async (t) => {
  const { port } = await serve(t);
  const { status, headers, body } = await call(port, '/debug');
  t.is(status, 200);
  t.is(headers['content-type'], 'text/html; charset=utf-8');
  const paths = [...body.matchAll(/<code>([^<]+)<\/code>/g)].map((match) => match[1]);
  t.deepEqual(paths, paths.toSorted());
  for (const page of ['syncz', 'adsz', 'cdsz', 'edsz', 'registryz', 'endpointz', 'endpointShardz', 'configz']) {
    t.true(paths.includes(`/debug/${page}`), page);
  }
  t.true(body.includes('All services of all registries'));
});

test('the index answers with a trailing slash too', async (t) => {
  const { port } = await serve(t);
  t.is((await call(port, '/debug/')).status, 200);
});

test('the index counts services, proxies, rejections and problems', async (t) => {
  const rejection = { code: 'InvalidArgument', message: 'no such cluster', nonce: 'b' };
  const { port } = await serve(t, {
    views: {
      context: () => context({ services: [service(), service({ hostname: 'b.example.com' })] }),
      connections: () => [
        connection({ id: 'first', watches: [ACKED] }),
        connection({ id: 'second', watches: [watch(TypeUrl.listener, { sentNonce: 'b', rejection })] }),
        connection({ id: 'third' }),
      ],
      problems: () => [{ file: 'a.yaml', reason: 'bad indentation' }],
    },
  });
  const { body } = await call(port, '/debug');
  const cards = [...body.matchAll(/<strong>([^<]*)<\/strong><span>([^<]*)<\/span>/g)].map(([, value, label]) => [
    label,
    value,
  ]);
  t.deepEqual(cards, [
    ['Services', '2'],
    ['Proxies connected', '3'],
    ['Up to date', '1 of 3'],
    ['Proxies with rejections', '1'],
    ['Configuration problems', '1'],
  ]);
  t.true(body.includes('lds: no such cluster'));
  t.true(body.indexOf('>second<') < body.indexOf('>first<'), 'proxies that reject come first');
});

test('with tracking, a proxy is up to date only after it has acknowledged the newest configuration', async (t) => {
  const { port } = await serve(t, {
    views: {
      currentConfigVersion: () => 'new',
      connections: () => [connection({ watches: [{ ...ACKED, ackedConfigVersion: 'old' }] })],
    },
  });
  t.true((await call(port, '/debug')).body.includes('0 of 1'));
});

test('the index works before the sources have synced, and shows the missing ones', async (t) => {
  const { port } = await serve(t, {
    views: {
      context: () => undefined,
      connections: () => [],
      probes: [{ name: 'sources', check: () => ({ ready: false, reason: 'the folder is being read' }) }],
    },
  });
  const { status, body } = await call(port, '/debug');
  t.is(status, 200);
  t.true(body.includes('sources: the folder is being read'));
  t.true(body.includes('No proxy is connected'));
});

test('hostile node IDs, names and rejections are shown as text', async (t) => {
  const hostile = `sidecar~"><script>alert('&')</script>\ud800`;
  const { port } = await serve(t, {
    views: {
      connections: () => [
        connection({
          id: hostile,
          proxy: { id: hostile, name: '<img src=x onerror=alert(1)>', configNamespace: '</td><b>' },
          watches: [
            watch(TypeUrl.route, { rejection: { code: 'Internal', message: '</p><script>1</script>', nonce: '' } }),
          ],
        }),
      ],
      context: () => context({ objects: [meshObject('ServiceEntry', '"><script>')] }),
    },
  });
  const { status, body } = await call(port, '/debug');
  t.is(status, 200);
  const withoutOwnScript = body.replace(`<script>${FRAME_SCRIPT}</script>`, '');
  t.false(/<(?:script|img)[ >]/.test(withoutOwnScript));
  t.false(body.includes('</td><b>'));
  t.true(body.includes('sidecar~&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)'));
  t.true(body.includes('href="/debug/config_dump?proxyID=sidecar%7E%22%3E%3Cscript'));
});

test('the index suggests at most 100 proxies and 200 objects', async (t) => {
  const { port } = await serve(t, {
    views: {
      connections: () => Array.from({ length: 150 }, (_, index) => connection({ id: `proxy-${index}` })),
      context: () =>
        context({ objects: Array.from({ length: 250 }, (_, index) => meshObject('ServiceEntry', `entry-${index}`)) }),
    },
  });
  const { body } = await call(port, '/debug');
  t.is(body.match(/<option value="proxy-/g)?.length, 100);
  t.is(body.match(/<option value="ServiceEntry\/default\/entry-/g)?.length, 200);
  t.true(body.includes('50 more proxies'));
  t.regex(body, /<form action="\/debug\/edsz" method="get"><input name="proxyID" list="proxies"[^>]* required>/);
});

test('the content security policy permits only the style sheet and the script of the page', async (t) => {
  const { port } = await serve(t);
  const { headers, body } = await call(port, '/debug');
  const policy = String(headers['content-security-policy']);
  for (const element of ['style', 'script']) {
    const content = new RegExp(`<${element}>([\\s\\S]*)</${element}>`).exec(body)?.[1] ?? '';
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
    t.true(policy.includes(`${element}-src 'sha256-${Buffer.from(digest).toString('base64')}';`), element);
  }
  t.true(policy.startsWith("default-src 'none';"));
  t.false(/ style="| on[a-z]+="|https?:\/\//.test(body));
});
