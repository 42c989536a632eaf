import test from 'ava';
import type { ServiceConfig } from '../../../src/config/policy/client-config.js';
import type { QuotaSpec } from '../../../src/config/policy/quota-spec.js';
import { filterAttributesOf } from '../../../src/model/policy/filter-attributes.js';
import { restrictHttpApiSpec, restrictQuotaSpec } from '../../../src/model/policy/label-conditions.js';
import type { HttpApiSpecObject, QuotaSpecObject } from '../../../src/model/policy/policy-bindings.js';
import { serviceAttributesOf } from '../../../src/model/policy/service-config.js';
import { contextOf, service } from '../../model/mesh-objects.js';
import { TCP_CHECK } from './adapter/envoy-recordings.js';
import { createRig, httpCheck, httpConfigText, tcpConfigText } from './policy-server-rig.js';

const WEB = 'web.shop.svc.cluster.local';
const [SERVICE] = contextOf([service('shop/web')]).services;

type Clause = QuotaSpec['rules'][number]['match'][number]['clause'];

function specWith(clause: Clause): QuotaSpec {
  return { rules: [{ match: [{ clause }], quotas: [{ quota: 'q', charge: 1 }] }] };
}

function configWith(quotaSpec: QuotaSpec): Partial<ServiceConfig> {
  return { quotaSpec: [quotaSpec], ...(SERVICE && { mixerAttributes: serviceAttributesOf(SERVICE) }) };
}

const HEADERS = { ':path': '/', ':method': 'GET', 'x-user': 'ann', 'content-length': '12' };

const MET: Clause = {
  'request.headers[X-User]': { exact: 'ann' },
  'request.query_params[key]': { exact: 'k1' },
  'source.ip': { prefix: '10.0.0.' },
  'destination.service': { exact: WEB },
  'target.service': { exact: WEB },
};

for (const [name, match] of Object.entries(MET)) {
  test(`a Check of Envoy is charged by a clause on ${name}, and not where it has another value`, async (t) => {
    const charged = async (clause: Clause) => {
      const rig = createRig({ services: { [WEB]: configWith(specWith(clause)) } });
      await rig.ask(httpCheck({ headers: HEADERS }), { configText: httpConfigText({}), service: WEB });
      return [...(rig.transport.checks.at(-1)?.quotas.keys() ?? [])];
    };
    t.deepEqual(await charged({ [name]: match }), ['q']);
    t.deepEqual(await charged({ [name]: { exact: 'other' } }), []);
  });
}

test('a Check has source.ip and request.size of an HTTP request', async (t) => {
  const rig = createRig({ services: { [WEB]: configWith(specWith({})) } });
  await rig.ask(httpCheck({ headers: HEADERS }), { configText: httpConfigText({}), service: WEB });
  const attributes = rig.transport.checks.at(-1)?.attributes;
  t.deepEqual(attributes?.get('source.ip'), { type: 'bytes', value: new Uint8Array([10, 0, 0, 1]) });
  t.deepEqual(attributes?.get('request.size'), { type: 'int64', value: 12n });
});

for (const protocol of ['http', 'tcp'] as const) {
  test(`a binding with labels charges ${protocol} of the workloads that carry them, in their own checks alone`, async (t) => {
    const meta = { name: 'a', namespace: 'shop', labels: {}, annotations: {}, resourceVersion: '1' };
    const spec: QuotaSpecObject = {
      kind: 'QuotaSpec',
      apiVersion: 'config.mesh.internal/v1alpha2',
      metadata: meta,
      body: { rules: [{ match: [], quotas: [{ quota: 'q', charge: 1 }] }] },
    };
    const restricted = restrictQuotaSpec(spec, [{ version: 'v1' }]).body;
    const charged = async (direction: 'inbound' | 'outbound', labels: Readonly<Record<string, string>>) => {
      const proxy = { id: 'sidecar~10.0.0.2~web-1.shop~x', ipAddresses: ['10.0.0.2'], configNamespace: 'shop' };
      const mixerAttributes = filterAttributesOf({ ...proxy, version: '', metadata: {}, labels }, direction, 80);
      const rig = createRig({ services: { [WEB]: configWith(restricted) } });
      const configText = protocol === 'http' ? httpConfigText({ mixerAttributes }) : tcpConfigText({ mixerAttributes });
      await rig.ask(protocol === 'http' ? httpCheck({}) : TCP_CHECK, { configText, service: WEB });
      return [...(rig.transport.checks.at(-1)?.quotas.keys() ?? [])];
    };
    t.deepEqual(await charged('inbound', { version: 'v1' }), ['q']);
    t.deepEqual(await charged('inbound', { version: 'v2' }), []);
    t.deepEqual(await charged('outbound', { version: 'v1' }), []);
  });
}

test('a binding with labels gives API attributes and keys to requests of the workloads that carry them, in their own checks alone', async (t) => {
  const meta = { name: 'a', namespace: 'shop', labels: {}, annotations: {}, resourceVersion: '1' };
  const apiVersion = 'config.mesh.internal/v1alpha2';
  const api = (name: string): HttpApiSpecObject => ({
    kind: 'HTTPAPISpec',
    apiVersion,
    metadata: { ...meta, name },
    body: {
      attributes: { attributes: { 'api.version': { stringValue: name } } },
      patterns: [{ httpMethod: 'GET', uriTemplate: '/pets' }],
      apiKeys: [{ header: `x-key-of-${name}` }],
    },
  });
  const httpApiSpec = [
    restrictHttpApiSpec(api('v1'), [{ version: 'v1' }]).body,
    restrictHttpApiSpec(api('v2'), [{ version: 'v2' }, { version: 'v3' }]).body,
  ];
  const headers = {
    ':path': '/pets',
    ':method': 'GET',
    'x-key-of-v1': 'one',
    'x-key-of-v2': 'two',
    'x-api-key': 'any',
  };
  const told = async (direction: 'inbound' | 'outbound', labels: Readonly<Record<string, string>>) => {
    const proxy = { id: 'sidecar~10.0.0.2~web-1.shop~x', ipAddresses: ['10.0.0.2'], configNamespace: 'shop' };
    const mixerAttributes = filterAttributesOf({ ...proxy, version: '', metadata: {}, labels }, direction, 80);
    const rig = createRig({ services: { [WEB]: { ...configWith(specWith({})), httpApiSpec } } });
    await rig.ask(httpCheck({ path: '/pets', headers }), {
      configText: httpConfigText({ mixerAttributes }),
      service: WEB,
    });
    const attributes = rig.transport.checks.at(-1)?.attributes;
    const textOf = (name: string) => {
      const value = attributes?.get(name);
      return value?.type === 'string' ? value.value : undefined;
    };
    return [textOf('api.version'), textOf('request.api_key')];
  };
  t.deepEqual(await told('inbound', { version: 'v1' }), ['v1', 'one']);
  t.deepEqual(await told('inbound', { version: 'v3', other: 'x' }), ['v2', 'two']);
  t.deepEqual(await told('inbound', { version: 'v4' }), [undefined, 'any'], 'no spec is for it: default keys');
  t.deepEqual(await told('outbound', { version: 'v1' }), [undefined, 'any'], 'the caller does not know the workload');
});
