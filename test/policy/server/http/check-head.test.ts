import test from 'ava';
import { readCheckHead } from '../../../../src/policy/server/http/check-head.js';

const NOW_NS = 7n;

function read(lines: readonly string[] = [], line = 'GET /books?a=b HTTP/1.1') {
  const head = readCheckHead([line, 'host: books:80', 'content-length: 0', ...lines].join('\r\n'), () => NOW_NS);
  if (head === undefined) throw new Error('no head');
  return head;
}

const headersOf = (lines: readonly string[]) => Object.fromEntries(read(lines).request.facts.headers);

test("a Check's request is the one that Envoy got", (t) => {
  const { facts, id } = read([
    'x-mesh-check-id: 8a3b',
    'x-mesh-check-time: 1795271864.398569000',
    'x-mesh-check-scheme: https',
    'x-mesh-check-address: 10.0.0.1',
  ]).request;
  t.is(facts.method, 'GET');
  t.is(facts.target, '/books?a=b');
  t.is(facts.host, 'books:80');
  t.is(facts.scheme, 'https');
  t.is(facts.timeNs, 1_795_271_864_398_569_000n);
  t.deepEqual(facts.connection.originIp, Uint8Array.of(10, 0, 0, 1));
  t.is(facts.auth, undefined);
  t.is(id, '8a3b');
});

test('a fact that Envoy does not send is missing, and the time is that of the Check', (t) => {
  const { request, configText, service } = read();
  t.is(request.facts.timeNs, NOW_NS);
  t.is(request.facts.scheme, undefined);
  t.is(request.facts.connection.originIp, undefined);
  t.is(request.facts.connection.requestedServerName, undefined);
  t.is(request.id, undefined);
  t.is(request.routeService, undefined);
  t.deepEqual([configText, service], [undefined, undefined]);
  for (const time of ['-', '1', '1.5', '1795271864.3985690000', 'x.000000000']) {
    t.is(read([`x-mesh-check-time: ${time}`]).request.facts.timeNs, NOW_NS, time);
  }
});

test('headers are those of the request, without those of the Check and those between proxies', (t) => {
  const lines = [
    'x-a: 1,2',
    'user-agent: curl',
    'x-mesh-attributes: QUJD',
    'x-mesh-charge-receipt: r',
    'x-mesh-check-id: i',
    'x-envoy-internal: true',
    'x-envoy-expected-rq-timeout-ms: 1000',
    '__proto__: evil',
  ];
  t.deepEqual(headersOf(lines), { 'x-a': '1,2', 'user-agent': 'curl', ['__proto__']: 'evil' });
  t.deepEqual([read(lines).request.forwarded, read(lines).request.receipt], ['QUJD', 'r']);
});

test('headers that a Check cannot have under their names are restored', (t) => {
  t.deepEqual(headersOf(['x-mesh-check-content-length: 12', 'x-mesh-check-upgrade: websocket']), {
    'content-length': '12',
    upgrade: 'websocket',
  });
});

test('the configuration and the service are those of the filter, or the service is that of the cluster of the route', (t) => {
  const { configText, service } = read(['x-mesh-check-config: QUJD', 'x-mesh-check-service: books.shop']);
  t.deepEqual([configText, service], ['QUJD', 'books.shop']);
  const serviceOf = (cluster: string) => read([`x-mesh-check-cluster: ${cluster}`]).request.routeService;
  t.is(serviceOf('outbound|80||books.shop.svc.cluster.local'), 'books.shop.svc.cluster.local');
  t.is(serviceOf('outbound|80|v1|books.shop.svc.cluster.local'), 'books.shop.svc.cluster.local');
  t.is(serviceOf('PassthroughCluster'), undefined);
});

test('a peer with a verified certificate came over mutual TLS', (t) => {
  const { connection } = read([
    'x-mesh-check-source-uri: spiffe://cluster.local/ns/shop/sa/web',
    'x-mesh-check-source-dns: web.shop',
    'x-mesh-check-destination-uri: spiffe://cluster.local/ns/books/sa/books',
    'x-mesh-check-server-name: outbound_.80_._.books',
  ]).request.facts;
  t.true(connection.isMtls);
  t.is(connection.sourcePrincipal, 'spiffe://cluster.local/ns/shop/sa/web');
  t.is(connection.destinationPrincipal, 'spiffe://cluster.local/ns/books/sa/books');
  t.is(connection.requestedServerName, 'outbound_.80_._.books');
  t.false(read().request.facts.connection.isMtls);
});

test('a certificate without a URI is named by its first DNS name, else by its subject', (t) => {
  const principal = (...lines: string[]) => read(lines).request.facts.connection.sourcePrincipal;
  t.is(principal('x-mesh-check-source-dns: a.example,b.example', 'x-mesh-check-source-subject: CN=a'), 'a.example');
  t.is(principal('x-mesh-check-source-subject: CN=a\\,b'), 'CN=a\\,b');
});

test('a certificate with several URIs has none of them as its name', (t) => {
  const uris = 'spiffe://cluster.local/ns/shop/sa/web,spiffe://cluster.local/ns/books/sa/books';
  t.is(read([`x-mesh-check-source-uri: ${uris}`]).request.facts.connection.sourcePrincipal, uris);
});

test('the facts of a verified token are those of its payload', (t) => {
  const tokens = JSON.stringify({
    header: { alg: 'RS256' },
    issuer: { iss: 'https://issuer', sub: 'jane', aud: ['a', 'b'], azp: 'web', groups: ['x', 'y'], exp: 12 },
  });
  t.deepEqual(read([`x-mesh-check-tokens: ${tokens}`]).request.facts.auth, {
    principal: 'https://issuer/jane',
    audiences: ['a', 'b'],
    presenter: 'web',
    rawClaims: '{"iss":"https://issuer","sub":"jane","aud":["a","b"],"azp":"web","groups":["x","y"],"exp":12}',
    claims: new Map([
      ['iss', 'https://issuer'],
      ['sub', 'jane'],
      ['aud', 'a,b'],
      ['azp', 'web'],
      ['groups', 'x,y'],
    ]),
  });
  for (const text of ['', '-', '[]', '"a"', '{', `${'['.repeat(100_000)}`]) {
    t.is(read([`x-mesh-check-tokens: ${text}`]).request.facts.auth, undefined, text.slice(0, 10));
  }
  const deep = `{"p":{"iss":"i","a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
  t.like(read([`x-mesh-check-tokens: ${deep}`]).request.facts.auth, { claims: new Map([['iss', 'i']]) });
});

test('a text that is no head is no Check', (t) => {
  t.is(
    readCheckHead('GET /', () => NOW_NS),
    undefined,
  );
});
