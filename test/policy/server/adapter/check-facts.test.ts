import test from 'ava';
import { checkedRequestOf, isTcpCheck, tcpConnectionFacts } from '../../../../src/policy/server/adapter/check-facts.js';
import type { WireCheckRequest } from '../../../../src/policy/server/adapter/envoy-messages.js';
import { createEnvoyCodec, EnvoyMessageError } from '../../../../src/policy/server/envoy-codec.js';
import { checkRequestBytes, envoyProtos } from '../policy-server-rig.js';
import { HTTP_CHECK, TCP_CHECK } from './envoy-recordings.js';

const codec = createEnvoyCodec(envoyProtos);
const decoded = (message: object): WireCheckRequest => codec.decodeCheckRequest(checkRequestBytes(message));
/** Without members that are undefined, which say the same as missing ones. */
const known = (value: object): object =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, name === 'connection' ? known(member) : member]),
  );
const facts = (message: object) => checkedRequestOf(decoded(message), 7n).facts;

const withAttributes = (attributes: object): object => ({ attributes: { ...HTTP_CHECK.attributes, ...attributes } });

test("a Check's request is the one that Envoy got: method, host, path with its query, scheme, time, peer", (t) => {
  const { headers: _, ...rest } = facts(HTTP_CHECK);
  t.deepEqual(known(rest), {
    method: 'GET',
    host: '127.0.0.1:28080',
    target: '/ok?a=b',
    scheme: 'http',
    timeNs: 1_795_271_864_398_569_000n,
    connection: { isMtls: false, originIp: Uint8Array.of(127, 0, 0, 1) },
  });
});

test('request headers are those that Envoy gives, without pseudo headers and forwarded attributes', (t) => {
  t.deepEqual([...facts(HTTP_CHECK).headers].sort(), [
    ['__proto__', 'evil'],
    ['accept', '*/*'],
    ['user-agent', 'curl/7.88.1'],
    ['x-a', '1,2'],
    ['x-forwarded-proto', 'http'],
    ['x-request-id', '6dd7ce3d-75dc-47ce-85eb-1339aa3e45e4'],
  ]);
});

test('a request without a time from Envoy has the time of its Check', (t) => {
  const request = { http: HTTP_CHECK.attributes.request.http };
  t.is(facts(withAttributes({ request })).timeNs, 7n);
});

test('a peer with a principal came over mutual TLS, one without did not', (t) => {
  const address = { socketAddress: { address: '2001:db8::1', portValue: 1 } };
  const { connection } = facts(
    withAttributes({
      source: { address, principal: 'spiffe://cluster.local/ns/shop/sa/web' },
      destination: { address, principal: 'spiffe://cluster.local/ns/books/sa/books' },
      tlsSession: { sni: 'outbound_.80_._.books' },
    }),
  );
  t.deepEqual(connection, {
    isMtls: true,
    originIp: Uint8Array.from([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    requestedServerName: 'outbound_.80_._.books',
    sourcePrincipal: 'spiffe://cluster.local/ns/shop/sa/web',
    destinationPrincipal: 'spiffe://cluster.local/ns/books/sa/books',
  });
});

test('an IPv4 address in IPv6 is the IPv4 address; a pipe is not an address', (t) => {
  const of = (address: object) => facts(withAttributes({ source: { address } })).connection.originIp;
  t.deepEqual(of({ socketAddress: { address: '::ffff:10.1.2.3' } }), Uint8Array.of(10, 1, 2, 3));
  t.is(of({ pipe: { path: '/tmp/socket' } }), undefined);
  t.is(of({ socketAddress: { address: 'not an address' } }), undefined);
});

const JWT = {
  fields: {
    header: { structValue: { fields: { alg: { stringValue: 'RS256' } } } },
    my_payload: {
      structValue: {
        fields: {
          iss: { stringValue: 'https://issuer.example' },
          sub: { stringValue: 'alice' },
          aud: { listValue: { values: [{ stringValue: 'books' }, { stringValue: 'shop' }] } },
          azp: { stringValue: 'app' },
          exp: { numberValue: 1_800_000_000 },
          admin: { boolValue: false },
          ['__proto__']: { stringValue: 'own' },
        },
      },
    },
  },
};

test('a verified token gives principal, audiences, presenter, its claims that are texts, and all of them as JSON', (t) => {
  const { auth } = facts(
    withAttributes({ metadataContext: { filterMetadata: { 'envoy.filters.http.jwt_authn': JWT } } }),
  );
  t.is(auth?.principal, 'https://issuer.example/alice');
  t.deepEqual(auth?.audiences, ['books', 'shop']);
  t.is(auth?.presenter, 'app');
  t.deepEqual([...(auth?.claims ?? [])].sort(), [
    ['__proto__', 'own'],
    ['aud', 'books,shop'],
    ['azp', 'app'],
    ['iss', 'https://issuer.example'],
    ['sub', 'alice'],
  ]);
  const raw = JSON.parse(auth?.rawClaims ?? '') as Record<string, unknown>;
  t.is(raw['exp'], 1_800_000_000);
  t.is(raw['admin'], false);
});

test('metadata of other filters does not identify the caller', (t) => {
  const { auth } = facts(withAttributes({ metadataContext: { filterMetadata: { 'some.filter': JWT } } }));
  t.is(auth, undefined);
});

test('claims that are nested without end are cut off instead of ending the process', (t) => {
  let value: object = { stringValue: 'deep' };
  for (let depth = 0; depth < 500; depth++) value = { structValue: { fields: { a: value } } };
  const payload = { structValue: { fields: { sub: { stringValue: 'alice' }, nested: value } } };
  const metadata = { fields: { payload } };
  const message = {
    attributes: {
      metadataContext: { filterMetadata: { 'envoy.filters.http.jwt_authn': metadata } },
      request: { http: {} },
    },
  };
  const { auth } = checkedRequestOf(message as unknown as WireCheckRequest, 0n).facts;
  t.true((auth?.rawClaims ?? '').length < 1000);
});

test('a Check without a request is about a connection, whose id and time its call names', (t) => {
  t.true(isTcpCheck(decoded(TCP_CHECK)));
  t.false(isTcpCheck(decoded(HTTP_CHECK)));
  t.deepEqual(known(tcpConnectionFacts(decoded(TCP_CHECK), { id: 'f42f5233', timeNs: 5n })), {
    id: 'f42f5233',
    timeNs: 5n,
    sourceIp: Uint8Array.of(127, 0, 0, 1),
    connection: { isMtls: false, originIp: Uint8Array.of(127, 0, 0, 1) },
  });
});

test('an empty message is a request without known attributes', (t) => {
  t.true(isTcpCheck(decoded({})));
  t.deepEqual(known(facts({ attributes: { request: { http: {} } } })), {
    method: '',
    host: '',
    target: '',
    headers: new Map(),
    timeNs: 7n,
    connection: { isMtls: false },
  });
});

test('invalid messages are refused with the name of their type', (t) => {
  const error = t.throws(() => codec.decodeCheckRequest(Buffer.from('ffffffff', 'hex')), {
    instanceOf: EnvoyMessageError,
  });
  t.is(error?.code, 'INVALID_ENVOY_MESSAGE');
  t.regex(error?.message ?? '', /CheckRequest/);
});
