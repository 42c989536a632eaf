import type { AttributeLayer } from '../../src/policy/client/attribute-bag.js';
import { bytesAttribute, stringAttribute } from '../../src/policy/client/attribute-value.js';
import type { HttpApiPatternConfig, HttpApiSpecConfig } from '../../src/policy/client/compile-api-specs.js';
import type { QuotaRuleConfig, QuotaSpecConfig } from '../../src/policy/client/compile-quota-specs.js';
import { headerMapOf } from '../../src/policy/client/header-map.js';
import type { HttpRequestFacts } from '../../src/policy/client/http-attributes.js';

/** Number of patterns and rules of a service. */
export interface WorkloadSize {
  readonly patterns: number;
  readonly rules: number;
}

/** Specs, requests and proxy configuration; the same size gives the same workload. */
export interface PolicyWorkload {
  readonly apiSpec: HttpApiSpecConfig;
  readonly quotaSpec: QuotaSpecConfig;
  readonly requests: readonly HttpRequestFacts[];
  readonly staticFilter: AttributeLayer;
  readonly staticRoute: AttributeLayer;
  readonly forwarded: AttributeLayer;
}

/** A pattern and a matching request; the kinds of templates take turns. */
const SHAPES: readonly ((resource: string) => { readonly pattern: HttpApiPatternConfig; readonly target: string })[] = [
  (r) => ({ pattern: { httpMethod: 'GET', uriTemplate: `/v1/${r}` }, target: `/v1/${r}?page=2` }),
  (r) => ({ pattern: { httpMethod: 'GET', uriTemplate: `/v1/${r}/{id}` }, target: `/v1/${r}/4711` }),
  (r) => ({ pattern: { httpMethod: 'PUT', uriTemplate: `/v1/${r}/{id}` }, target: `/v1/${r}/4711` }),
  (r) => ({
    pattern: { httpMethod: 'GET', uriTemplate: `/v1/${r}/{id}/items/{item}` },
    target: `/v1/${r}/4711/items/9`,
  }),
  (r) => ({ pattern: { httpMethod: 'GET', uriTemplate: `/v1/*/${r}` }, target: `/v1/any/${r}` }),
  (r) => ({ pattern: { httpMethod: '*', uriTemplate: `/files/${r}/**` }, target: `/files/${r}/a/b/c/d.txt` }),
  (r) => ({ pattern: { httpMethod: 'POST', uriTemplate: `/v1/${r}/{id}:cancel` }, target: `/v1/${r}/4711:cancel` }),
  (r) => ({
    pattern: { httpMethod: 'GET', uriTemplate: `/v1/${r}/search{?q,lang}` },
    target: `/v1/${r}/search?q=a%20b`,
  }),
  (r) => ({ pattern: { httpMethod: 'GET', uriTemplate: `/words/${r}/{term:1}/{term}` }, target: `/words/${r}/d/dog` }),
  (r) => ({ pattern: { httpMethod: 'GET', regex: `/legacy/${r}/[0-9]+(\\?.*)?` }, target: `/legacy/${r}/12?v=1` }),
];

/** One request in eleven matches no pattern. */
const UNKNOWN_TARGET = '/v1/unknown/4711/items/9/parts/1?verbose';
const REQUEST_COUNT = 1000;

export function buildPolicyWorkload(size: WorkloadSize): PolicyWorkload {
  const operations = Array.from({ length: size.patterns }, (_, index) => buildOperation(index));
  return {
    apiSpec: {
      attributes: {
        attributes: { 'api.service': { stringValue: 'shop.example' }, 'api.version': { stringValue: 'v1' } },
      },
      patterns: operations.map(({ pattern }) => pattern),
      apiKeys: [{ query: 'api_key' }, { header: 'x-api-key' }],
    },
    quotaSpec: { rules: Array.from({ length: size.rules }, (_, index) => buildRule(index, size.patterns)) },
    requests: Array.from({ length: REQUEST_COUNT }, (_, index) => {
      const operation = index % 11 === 10 ? undefined : operations[(index * 7) % operations.length];
      return buildRequest(index, operation?.pattern.httpMethod ?? 'GET', operation?.target ?? UNKNOWN_TARGET);
    }),
    staticFilter: new Map([
      ['destination.ip', bytesAttribute(new Uint8Array([10, 0, 0, 2]))],
      ['destination.uid', stringAttribute('kubernetes://shop-1.shop')],
    ]),
    staticRoute: new Map([['destination.service.host', stringAttribute('shop.example')]]),
    forwarded: new Map([['source.uid', stringAttribute('kubernetes://web-1.web')]]),
  };
}

function buildOperation(index: number): { readonly pattern: HttpApiPatternConfig; readonly target: string } {
  const shape = SHAPES[index % SHAPES.length];
  if (shape === undefined) return { pattern: {}, target: '/' };
  const { pattern, target } = shape(`resource${index}`);
  const attributes = { attributes: { 'api.operation': { stringValue: operationName(index) } } };
  return { pattern: { ...pattern, attributes }, target };
}

function operationName(index: number): string {
  return `operation${index}`;
}

/** Conditions of every kind: by operation, by path and method, by caller's key, by regex, and for everybody. */
function buildRule(index: number, patterns: number): QuotaRuleConfig {
  const quotas = [{ quota: `quota${index}`, charge: 1 + (index % 3) }];
  const operation = { exact: operationName((index * 5) % patterns) };
  switch (index % 5) {
    case 0:
      return { match: [{ clause: { 'api.operation': operation } }], quotas };
    case 1: {
      const clause = { 'request.path': { prefix: `/v1/resource${index}` }, 'request.method': { exact: 'GET' } };
      return { match: [{ clause }], quotas };
    }
    case 2: {
      const clause = { 'api.operation': operation, 'request.api_key': { prefix: 'key-' } };
      return { match: [{ clause }, { clause: { 'source.namespace': { exact: 'batch' } } }], quotas };
    }
    case 3:
      return { match: [{ clause: { 'request.useragent': { regex: `client-${index}/[0-9.]+ .*` } } }], quotas };
    default:
      return { match: index === 4 ? [] : [{ clause: { 'request.host': { exact: `host${index}` } } }], quotas };
  }
}

function buildRequest(index: number, method: string, target: string): HttpRequestFacts {
  return {
    method: method === '*' ? 'GET' : method,
    host: 'shop.example',
    target,
    scheme: 'https',
    headers: headerMapOf([
      [':authority', 'shop.example'],
      [':method', method],
      [':path', target],
      ['user-agent', `client-${index % 25}/1.${index} (linux)`],
      ['accept', 'application/json'],
      ['accept-encoding', 'gzip, br'],
      ['content-type', 'application/json'],
      ['x-forwarded-for', '203.0.113.7'],
      ['x-forwarded-proto', 'https'],
      ['x-request-id', `6f1c2b3a-0000-4000-8000-${String(index).padStart(12, '0')}`],
      ['x-api-key', `key-${index % 40}`],
      ['x-mesh-attributes', 'CgpzaG9w'],
    ]),
    timeNs: 1_700_000_000_000_000_000n + BigInt(index),
    connection: {
      originIp: new Uint8Array([10, 0, 1, index % 256]),
      isMtls: true,
      requestedServerName: 'shop.example',
      sourcePrincipal: `spiffe://cluster.local/ns/${index % 20 === 0 ? 'batch' : 'web'}/sa/front`,
      destinationPrincipal: 'spiffe://cluster.local/ns/shop/sa/shop',
    },
  };
}
