import { readFile } from 'node:fs/promises';
import test from 'ava';
import { ATTRIBUTE_VOCABULARY } from '../../../src/config/attributes/attribute-vocabulary.js';
import { filterAttributesOf } from '../../../src/model/policy/filter-attributes.js';
import { serviceAttributesOf } from '../../../src/model/policy/service-config.js';
import { type AttributeBag, createAttributeBag, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { readAttributes } from '../../../src/policy/client/attributes-from-config.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import { deriveHttpAttributes } from '../../../src/policy/client/http-attributes.js';
import { deriveHttpReportAttributes } from '../../../src/policy/client/http-report-attributes.js';
import { deriveTcpAttributes, deriveTcpReportAttributes } from '../../../src/policy/client/tcp-attributes.js';
import { consumerLayer } from '../../../src/policy/plans/plan-attributes.js';
import { contextOf, service } from '../../model/mesh-objects.js';

const root = new URL('../../../../', import.meta.url);
const ADDRESS = new Uint8Array([10, 0, 0, 1]);
const CONNECTION = {
  originIp: ADDRESS,
  isMtls: true,
  requestedServerName: 'web.shop',
  sourcePrincipal: 'spiffe://cluster.local/ns/shop/sa/caller',
  destinationPrincipal: 'spiffe://cluster.local/ns/shop/sa/web',
};
const API = compileApiSpecs([
  {
    attributes: {
      attributes: Object.fromEntries(
        ['service', 'version', 'operation', 'protocol'].map((name) => [`api.${name}`, { stringValue: 'x' }]),
      ),
    },
    patterns: [{ httpMethod: 'GET', uriTemplate: '/' }],
  },
]);
const BYTES = { received: 2n, sent: 1n };
const [WEB] = contextOf([service('shop/web')]).services;
const PROXY = {
  id: 'sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local',
  ipAddresses: ['10.0.0.1'],
  configNamespace: 'shop',
  version: '1',
  metadata: { meshVersion: '1', meshId: 'mesh' },
  labels: { version: 'v1' },
};
const DECISION = {
  checkErrorCode: 8,
  checkErrorMessage: 'no',
  isCheckCacheHit: true,
  isQuotaCacheHit: true,
  dryRun: 'rule/shop/a PERMISSION_DENIED',
  rbacPermissiveResponseCode: '403',
  rbacPermissivePolicyId: 'p',
};

function httpLayer() {
  const claims = new Map([['group', 'staff']]);
  const headers = headerMapOf([
    ['referer', '/from'],
    ['user-agent', 'test'],
    ['content-length', '12'],
  ]);
  return deriveHttpAttributes(
    {
      method: 'GET',
      host: 'web',
      target: '/?key=k',
      headers,
      timeNs: 7n,
      connection: CONNECTION,
      auth: { principal: 'i/s', audiences: ['a'], presenter: 'p', rawClaims: '{}', claims },
    },
    API,
  );
}

/** All attributes of a check by the proxy of the service or of the caller. */
function checkBag(protocol: 'http' | 'tcp', direction: 'inbound' | 'outbound'): AttributeBag {
  return createAttributeBag({
    staticFilter: readAttributes(filterAttributesOf(PROXY, direction, 80), 'mixerAttributes'),
    staticRoute: readAttributes(WEB && serviceAttributesOf(WEB), 'mixerAttributes'),
    requestDerived:
      protocol === 'http'
        ? httpLayer()
        : deriveTcpAttributes({ id: 'c-1', sourceIp: ADDRESS, timeNs: 7n, connection: CONNECTION }),
    ignoreForwarded: false,
    isGateway: false,
  }).overlaid(consumerLayer('shop/gold', 'shop/acme', 'ab'));
}

function reportLayer(protocol: 'http' | 'tcp') {
  const bag = createAttributeBag({
    staticFilter: EMPTY_LAYER,
    requestDerived: EMPTY_LAYER,
    ignoreForwarded: true,
    isGateway: false,
  });
  if (protocol === 'tcp') {
    const event = { type: 'close', durationNs: 5n } as const;
    const facts = { event, total: BYTES, proxyErrorCode: 'UF', checkErrorCode: 8, checkErrorMessage: 'no' };
    return deriveTcpReportAttributes(facts, bag);
  }
  return deriveHttpReportAttributes(
    {
      headers: headerMapOf([['a', 'b']]),
      timeNs: 9n,
      requestBodyBytes: 1n,
      responseBodyBytes: 1n,
      requestTotalBytes: 1n,
      responseTotalBytes: 1n,
      durationNs: 1n,
      responseCode: 200,
      grpcStatus: '0',
      grpcMessage: 'ok',
      proxyErrorCode: 'UF',
      decision: DECISION,
    },
    bag,
  );
}

function setNames(protocol: 'http' | 'tcp', known: 'check' | 'report'): readonly string[] {
  const layers = known === 'report' ? [reportLayer(protocol)] : bagsOf(protocol).map((bag) => new Map(bag.entries()));
  const atCheck = known === 'report' ? setNames(protocol, 'check') : [];
  const names = layers.flatMap((layer) => Array.from(layer, ([name, { type }]) => `${name} ${type}`));
  return [...new Set(names)].filter((name) => !atCheck.includes(name)).sort();
}

function bagsOf(protocol: 'http' | 'tcp') {
  return [checkBag(protocol, 'inbound'), checkBag(protocol, 'outbound')];
}

for (const protocol of ['http', 'tcp'] as const) {
  for (const known of ['check', 'report'] as const) {
    test(`the table has the names and types that a ${known} of ${protocol} sets, and no others`, (t) => {
      const table = ATTRIBUTE_VOCABULARY.filter((entry) => entry.known === known && entry.protocols.includes(protocol));
      t.deepEqual(table.map(({ name, type }) => `${name} ${type}`).sort(), setNames(protocol, known));
    });
  }
}

test('every name is in the table once', (t) => {
  const names = ATTRIBUTE_VOCABULARY.map(({ name }) => name);
  t.deepEqual(names, [...new Set(names)]);
});

test('docs/attributes.md is what npm run generate writes', async (t) => {
  const { href } = new URL('scripts/render-attributes-doc.mjs', root);
  const renderer: { renderAttributesDoc(): string } = await import(href);
  t.is(await readFile(new URL('docs/attributes.md', root), 'utf8'), renderer.renderAttributesDoc());
});
