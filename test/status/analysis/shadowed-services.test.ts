import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { findShadowedServices } from '../../../src/status/analysis/analyzers/shadowed-services.js';
import { MESH } from '../../generators/context-builder.js';
import { contextOf, endpoints, service } from '../../model/mesh-objects.js';
import { ENFORCEMENT, policyObjects, shown } from './support.js';

const CANARY = 'web-canary.shop.svc.cluster.local';
const WEB = 'web.shop.svc.cluster.local';
const REMEDY = 'bind the spec to the older service too, or give each service its own port of the workload';
const TEXT = `port 8080 of the workloads of ${CANARY} also belongs to the older service ${WEB}: only the policies of ${WEB} apply to requests to either service; ${REMEDY}`;

/** The older web and its younger canary, at the same workload. */
const SERVICES: readonly MeshObject[] = [
  service('shop/web', {}, { creationTimestamp: '2026-01-01T00:00:00Z' }),
  service('shop/web-canary', {}, { creationTimestamp: '2026-02-01T00:00:00Z' }),
  endpoints('shop/web', ['10.0.0.1']),
  endpoints('shop/web-canary', ['10.0.0.1']),
];

function messagesOf(text: string, { clientsCheck = false, services = SERVICES } = {}): readonly string[] {
  const policy = { ...MESH.policy, enableClientSidePolicyCheck: clientsCheck };
  const context = { ...contextOf([...services, ...policyObjects(text)]), mesh: { ...MESH, policy } };
  return findShadowedServices(analysisInputOf(context, ENFORCEMENT)).map(shown);
}

const SPEC = 'QuotaSpec shop/a {rules: [{quotas: [{quota: q, charge: 1}]}]}';
const bindingOf = (...names: readonly string[]): string =>
  `QuotaSpecBinding shop/b {services: [${names.map((name) => `{name: ${name}}`).join()}], quotaSpecs: [{name: a}]}`;

test('a spec that is bound to the younger of two services at one port gets MESH0213', (t) => {
  t.deepEqual(messagesOf(`${SPEC}\n${bindingOf('other', 'web-canary')}`), [
    `MESH0213 QuotaSpecBinding/shop/b spec.services[1]: ${TEXT}`,
    `MESH0213 QuotaSpec/shop/a: ${TEXT}`,
  ]);
});

const SILENT: readonly (readonly [string, string, Parameters<typeof messagesOf>[1]?])[] = [
  ['the older service holds', `${SPEC}\n${bindingOf('web')}`],
  ['both services holds there', `${SPEC}\n${bindingOf('web', 'web-canary')}`],
  [
    'every service holds there',
    `${SPEC}\nQuotaSpecBinding shop/b {services: [{service: '*'}], quotaSpecs: [{name: a}]}`,
  ],
  ['the younger one holds where clients check', `${SPEC}\n${bindingOf('web-canary')}`, { clientsCheck: true }],
  [
    'the younger one holds at workloads of its own',
    `${SPEC}\n${bindingOf('web-canary')}`,
    { services: [...SERVICES.slice(0, 3), endpoints('shop/web-canary', ['10.0.0.2'])] },
  ],
];

for (const [rule, text, options] of SILENT) {
  test(`a spec that is bound to ${rule}, and gets no message`, (t) => {
    t.deepEqual(messagesOf(text, options), []);
  });
}

test('an HTTPAPISpec that is bound to the younger service gets the message too', (t) => {
  const api = 'HTTPAPISpec shop/a {patterns: [{httpMethod: GET, uriTemplate: /a}]}';
  const binding = 'HTTPAPISpecBinding shop/b {services: [{name: web-canary}], apiSpecs: [{name: a}]}';
  t.deepEqual(
    messagesOf(`${api}\n${binding}`).map((message) => message.split(' ')[1]),
    ['HTTPAPISpecBinding/shop/b', 'HTTPAPISpec/shop/a:'],
  );
});
