import test from 'ava';
import { type AttributeLayer, bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import { deriveHttpAttributes, type HttpRequestFacts } from '../../../src/policy/client/http-attributes.js';
import { deriveHttpReportAttributes } from '../../../src/policy/client/http-report-attributes.js';

const NO_API = compileApiSpecs([]);

const REQUEST: HttpRequestFacts = {
  method: 'GET',
  host: 'pets.example',
  target: '/pets/7?color=r%65d&color=blue&flag',
  scheme: 'https',
  headers: headerMapOf([
    ['Referer', 'https://shop.example/'],
    ['User-Agent', 'curl'],
    ['X-Mesh-Attributes', 'CgA='],
    ['X-Api-Key', 'k1'],
    ['accept', 'a'],
    ['Accept', 'b'],
  ]),
  timeNs: 5n,
  connection: {
    originIp: new Uint8Array([10, 0, 0, 1]),
    isMtls: true,
    requestedServerName: 'sni.example',
    sourcePrincipal: 'spiffe://cluster.local/ns/shop/sa/web',
    destinationPrincipal: 'cluster.local/ns/pets/sa/api',
  },
  auth: {
    principal: 'issuer/subject',
    audiences: ['a', 'b'],
    presenter: 'p',
    rawClaims: '{}',
    claims: new Map([['role', 'admin']]),
  },
};

function plain(layer: AttributeLayer): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...layer].map(([name, { type, value }]) => [name, [type, type === 'stringMap' ? new Map(value) : value]]),
  );
}

test('a request brings all HTTP check attributes in their types', (t) => {
  t.deepEqual(plain(deriveHttpAttributes(REQUEST, NO_API)), {
    'request.headers': [
      'stringMap',
      new Map([
        ['referer', 'https://shop.example/'],
        ['user-agent', 'curl'],
        ['x-api-key', 'k1'],
        ['accept', 'a,b'],
      ]),
    ],
    'request.host': ['string', 'pets.example'],
    'request.method': ['string', 'GET'],
    'request.httpmethod': ['string', 'GET'],
    'request.path': ['string', '/pets/7?color=r%65d&color=blue&flag'],
    'request.url_path': ['string', '/pets/7'],
    'request.query_params': [
      'stringMap',
      new Map([
        ['color', 'red'],
        ['flag', ''],
      ]),
    ],
    'request.scheme': ['string', 'https'],
    'request.referer': ['string', 'https://shop.example/'],
    'request.useragent': ['string', 'curl'],
    'request.time': ['timestamp', 5n],
    'context.protocol': ['string', 'http'],
    'request.api_key': ['string', 'k1'],
    'origin.ip': ['bytes', new Uint8Array([10, 0, 0, 1])],
    'source.ip': ['bytes', new Uint8Array([10, 0, 0, 1])],
    'connection.mtls': ['bool', true],
    'connection.requested_server_name': ['string', 'sni.example'],
    'source.principal': ['string', 'cluster.local/ns/shop/sa/web'],
    'source.user': ['string', 'cluster.local/ns/shop/sa/web'],
    'source.namespace': ['string', 'shop'],
    'destination.principal': ['string', 'cluster.local/ns/pets/sa/api'],
    'request.auth.principal': ['string', 'issuer/subject'],
    'request.auth.audiences': ['string', 'a,b'],
    'request.auth.presenter': ['string', 'p'],
    'request.auth.raw_claims': ['string', '{}'],
    'request.auth.claims': ['stringMap', new Map([['role', 'admin']])],
  });
});

test('missing parts of a request are absent, and the scheme defaults to http', (t) => {
  const { auth: _auth, scheme: _scheme, ...rest } = REQUEST;
  const bare = { ...rest, target: '/', headers: new Map(), connection: { isMtls: false } };
  t.deepEqual(plain(deriveHttpAttributes(bare, NO_API)), {
    'request.host': ['string', 'pets.example'],
    'request.method': ['string', 'GET'],
    'request.httpmethod': ['string', 'GET'],
    'request.path': ['string', '/'],
    'request.url_path': ['string', '/'],
    'request.scheme': ['string', 'http'],
    'request.time': ['timestamp', 5n],
    'context.protocol': ['string', 'http'],
    'connection.mtls': ['bool', false],
  });
});

test('a quota rule may name the method request.httpmethod as well as request.method', (t) => {
  for (const name of ['request.httpmethod', 'request.method']) {
    const rules = [{ match: [{ clause: { [name]: { exact: 'GET' } } }], quotas: [{ quota: 'reads' }] }];
    const charges = compileQuotaSpecs([{ rules }]).chargesFor(bagOf(deriveHttpAttributes(REQUEST, NO_API)));
    t.deepEqual(charges, [{ quota: 'reads', charge: 1 }]);
  }
});

test('a request brings the attributes of its API operation', (t) => {
  const api = compileApiSpecs([
    {
      attributes: { attributes: { 'api.service': { stringValue: 'pets' } } },
      patterns: [
        {
          httpMethod: 'GET',
          uriTemplate: '/pets/{id}',
          attributes: { attributes: { 'api.operation': { stringValue: 'getPet' } } },
        },
      ],
    },
  ]);
  const layer = deriveHttpAttributes(REQUEST, api);
  t.deepEqual(layer.get('api.service'), stringAttribute('pets'));
  t.deepEqual(layer.get('api.operation'), stringAttribute('getPet'));
  t.is(deriveHttpAttributes({ ...REQUEST, method: 'PUT' }, api).get('api.service'), undefined);
});

for (const [contentType, protocol] of [
  ['application/grpc', 'grpc'],
  ['application/grpc+proto', 'grpc'],
  ['application/grpc+json; charset=utf-8', 'grpc'],
  ['Application/GRPC', 'grpc'],
  ['application/grpc-web', 'http'],
  ['application/json', 'http'],
] as const) {
  test(`context.protocol is ${protocol} for the content type ${contentType}`, (t) => {
    const layer = deriveHttpAttributes({ ...REQUEST, headers: new Map([['content-type', contentType]]) }, NO_API);
    t.is(layer.get('context.protocol')?.value, protocol);
  });
}

for (const principal of ['cluster.local', 'cluster.local/sa/x', 'spiffe://cluster.local/workload/ns/x', '/ns', '']) {
  test(`the principal ${JSON.stringify(principal)} names no namespace`, (t) => {
    const connection = { isMtls: true, sourcePrincipal: principal };
    t.is(deriveHttpAttributes({ ...REQUEST, connection }, NO_API).get('source.namespace'), undefined);
  });
}

test('a Report adds the outcome of the request', (t) => {
  const layer = deriveHttpReportAttributes(
    {
      destinationIp: new Uint8Array([10, 0, 0, 2]),
      destinationPort: 8080,
      destinationUid: 'pod-1',
      headers: new Map([['server', 'x']]),
      timeNs: 9n,
      requestBodyBytes: 1n,
      responseBodyBytes: 2n,
      requestTotalBytes: 3n,
      responseTotalBytes: 4n,
      durationNs: 4n,
      responseCode: 429,
      grpcStatus: '8',
      grpcMessage: 'no',
      proxyErrorCode: 'UAEX',
      decision: {
        checkErrorCode: 8,
        checkErrorMessage: 'Quota is exhausted for: q',
        isCheckCacheHit: false,
        isQuotaCacheHit: true,
        rbacPermissiveResponseCode: '403',
        rbacPermissivePolicyId: 'policy',
      },
    },
    bagOf(new Map()),
  );
  t.deepEqual(plain(layer), {
    'destination.ip': ['bytes', new Uint8Array([10, 0, 0, 2])],
    'destination.port': ['int64', 8080n],
    'destination.uid': ['string', 'pod-1'],
    'response.headers': ['stringMap', new Map([['server', 'x']])],
    'response.time': ['timestamp', 9n],
    'request.size': ['int64', 1n],
    'response.size': ['int64', 2n],
    'request.total_size': ['int64', 3n],
    'response.total_size': ['int64', 4n],
    'response.duration': ['duration', 4n],
    'response.code': ['int64', 429n],
    'response.grpc_status': ['string', '8'],
    'response.grpc_message': ['string', 'no'],
    'context.proxy_error_code': ['string', 'UAEX'],
    'check.error_code': ['int64', 8n],
    'check.error_message': ['string', 'Quota is exhausted for: q'],
    'check.cache_hit': ['bool', false],
    'quota.cache_hit': ['bool', true],
    'rbac.permissive.response_code': ['string', '403'],
    'rbac.permissive.effective_policy_id': ['string', 'policy'],
  });
});

test('a Report keeps the destination address that the request has already', (t) => {
  const known = bagOf(new Map([['destination.ip', stringAttribute('configured')]]));
  const facts = { destinationIp: new Uint8Array([1, 2, 3, 4]), destinationPort: 80, decision: {} };
  t.deepEqual([...deriveHttpReportAttributes(facts, known).keys()], ['destination.port']);
});
