import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import { resolvePolicyBindings } from '../../../../src/model/policy/policy-bindings.js';
import { serviceConfigOf } from '../../../../src/model/policy/service-config.js';
import { bagOf } from '../../../../src/policy/client/attribute-bag.js';
import { stringMapAttribute } from '../../../../src/policy/client/attribute-value.js';
import { compileApiSpecs } from '../../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../../src/policy/client/compile-quota-specs.js';
import { createServiceConfigReader } from '../../../../src/policy/server/discovery/service-config-reader.js';
import { readObject } from '../../../config/support/read-yaml.js';
import { contextOf, service } from '../../../model/mesh-objects.js';
import { policyDecoder, policyEncoder } from '../policy-server-rig.js';

const SETS = 1000;

function object(kind: string, name: string, spec: object): MeshObject {
  const metadata = { name, namespace: 'shop' };
  return readObject(JSON.stringify({ apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata, spec }));
}

const services = Array.from({ length: SETS }, (_, index) => ({ name: 'web', labels: { shard: `s${index}` } }));
const matches = Array.from({ length: 100 }, (_, index) => ({ clause: { 'request.path': { exact: `/${index}` } } }));
const MESH = contextOf([
  service('shop/web'),
  object('QuotaSpec', 'q', { rules: [{ match: [...matches, { clause: {} }].slice(1), quotas: [{ quota: 'q' }] }] }),
  object('QuotaSpecBinding', 'q', { services, quotaSpecs: [{ name: 'q' }] }),
  object('HTTPAPISpec', 'a', {
    attributes: { attributes: { 'api.service': { stringValue: 'x' } } },
    patterns: [{ httpMethod: 'GET', uriTemplate: '/x' }],
  }),
  object('HTTPAPISpecBinding', 'a', { services, apiSpecs: [{ name: 'a' }] }),
]);

test('a policy server of its own process takes a thousand sets of labels for a rule of a hundred matches, and applies them', (t) => {
  const [web] = MESH.services;
  if (web === undefined) throw new Error('there is no service');
  const bytes = policyEncoder.serviceConfig(serviceConfigOf(web, resolvePolicyBindings(MESH)));
  t.true(bytes.length < 100_000, `${bytes.length} bytes`);
  const config = createServiceConfigReader(policyDecoder)(bytes);
  t.is(config.quotaSpec[0]?.rules[0]?.workloads?.length, SETS);
  const labelsOf = (shard: string) => stringMapAttribute(new Map([['shard', shard]]));
  const quotas = compileQuotaSpecs(config.quotaSpec);
  const charged = (shard: string) => quotas.chargesFor(bagOf(new Map([['destination.labels', labelsOf(shard)]])));
  t.deepEqual(charged(`s${SETS - 1}`), [{ quota: 'q', charge: 1 }]);
  t.deepEqual(charged(`s${SETS}`), []);
  const api = compileApiSpecs(config.httpApiSpec);
  const generated = (shard: string) => api.forWorkload(labelsOf(shard)).attributesFor('GET', '/x').size;
  t.deepEqual([generated('s0'), generated('none')], [1, 0]);
});
