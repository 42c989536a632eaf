import test from 'ava';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import { bindingLabelKeys } from '../../../src/model/policy/label-conditions.js';
import { resolvePolicyBindings } from '../../../src/model/policy/policy-bindings.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute, stringMapAttribute } from '../../../src/policy/client/attribute-value.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { readObject } from '../../config/support/read-yaml.js';
import { contextOf } from '../mesh-objects.js';

const WEB = { hostname: 'web.shop.svc.cluster.local', namespace: 'shop' };

function object(kind: string, name: string, spec: string): MeshObject {
  const metadata = `{name: ${name}, namespace: shop}`;
  return readObject(`{apiVersion: config.mesh.internal/v1alpha2, kind: ${kind}, metadata: ${metadata}, spec: ${spec}}`);
}

const SPEC = object(
  'QuotaSpec',
  'a',
  '{rules: [{quotas: [{quota: q}]}, {match: [{clause: {request.path: {prefix: /x}}}], quotas: [{quota: r}]}]}',
);

function binding(name: string, ...services: readonly string[]): MeshObject {
  return object('QuotaSpecBinding', name, `{services: [${services}], quotaSpecs: [{name: a}]}`);
}

function specsWith(...bindings: readonly MeshObject[]) {
  return resolvePolicyBindings(contextOf([SPEC, ...bindings])).quotaSpecsOf(WEB);
}

/** The charge of a request to a workload with these labels; undefined for a check without labels. */
function chargedAt(labels: Readonly<Record<string, string>> | undefined, ...bindings: readonly MeshObject[]) {
  const specs = compileQuotaSpecs(specsWith(...bindings).map(({ body }) => body));
  const layer = new Map([
    ['request.path', stringAttribute('/x')],
    ...(labels ? ([['destination.labels', stringMapAttribute(new Map(Object.entries(labels)))]] as const) : []),
  ]);
  return specs.chargesFor(bagOf(layer)).map(({ quota }) => quota);
}

const V1 = '{name: web, labels: {version: v1}}';
const V2_GOLD = '{name: web, labels: {version: v2, tier: gold}}';

test('labels of a MeshService restrict a binding to the workloads that carry all of them', (t) => {
  t.deepEqual(chargedAt({ version: 'v1' }, binding('b', V1)), ['q', 'r']);
  t.deepEqual(chargedAt({ version: 'v2' }, binding('b', V1)), []);
  t.deepEqual(chargedAt({ version: 'v2' }, binding('b', V2_GOLD)), []);
  t.deepEqual(chargedAt({ version: 'v2', tier: 'gold', other: 'x' }, binding('b', V2_GOLD)), ['q', 'r']);
});

test('a check that does not know the labels of the workload, as one of the caller, is charged nothing', (t) => {
  t.deepEqual(chargedAt(undefined, binding('b', V1)), []);
  t.deepEqual(chargedAt(undefined, binding('b', '{name: web}')), ['q', 'r']);
});

test('a workload that several items name is charged once, and one without labels names all', (t) => {
  t.deepEqual(chargedAt({ version: 'v2', tier: 'gold' }, binding('b', V1, V2_GOLD)), ['q', 'r']);
  const both = { version: 'v1', tier: 'gold' };
  t.deepEqual(chargedAt(both, binding('b', V1), binding('c', '{name: web, labels: {tier: gold}}')), ['q', 'r']);
  t.deepEqual(chargedAt({ version: 'v9' }, binding('b', V1), binding('c', '{service: "*"}')), ['q', 'r']);
});

test('a label without a value is met by an empty label alone', (t) => {
  const empty = binding('b', '{name: web, labels: {canary: ""}}');
  t.deepEqual(chargedAt({ canary: '' }, empty), ['q', 'r']);
  t.deepEqual(chargedAt({ canary: 'yes' }, empty), []);
  t.deepEqual(chargedAt({}, empty), []);
});

const API = object(
  'HTTPAPISpec',
  'api',
  '{attributes: {attributes: {api.service: {stringValue: x}}}, patterns: [{httpMethod: GET, uriTemplate: /x}]}',
);

/** The API attributes of a request to a workload with these labels; undefined for a check that knows no labels. */
function apiOf(labels: Readonly<Record<string, string>> | undefined, ...services: readonly string[]) {
  const bindings = object('HTTPAPISpecBinding', 'c', `{services: [${services}], apiSpecs: [{name: api}]}`);
  const specs = resolvePolicyBindings(contextOf([API, bindings])).apiSpecsOf(WEB);
  const api = compileApiSpecs(specs.map(({ body }) => body));
  const view = api.forWorkload(labels && stringMapAttribute(new Map(Object.entries(labels))));
  return [...view.attributesFor('GET', '/x').keys()];
}

test('labels of a MeshService restrict an HTTPAPISpecBinding to the workloads that carry all of them', (t) => {
  t.deepEqual(apiOf({ version: 'v1' }, V1), ['api.service']);
  t.deepEqual(apiOf({ version: 'v2' }, V1), []);
  t.deepEqual(apiOf({ version: 'v2' }, V2_GOLD), []);
  t.deepEqual(apiOf({ version: 'v2', tier: 'gold', other: 'x' }, V1, V2_GOLD), ['api.service']);
  t.deepEqual(apiOf(undefined, V1), [], 'a check of the caller does not know the labels');
  t.deepEqual(apiOf(undefined, '{name: web}', V1), ['api.service'], 'an item without labels is for all');
});

test('a restricted spec keeps its name, and is the very same object for the same labels', (t) => {
  const [first] = specsWith(binding('b', V1));
  t.is(first && keyOf(first), keyOf(SPEC));
  t.is(specsWith(binding('c', V1))[0]?.body, first?.body);
  t.not(specsWith(binding('c', V2_GOLD))[0]?.body, first?.body);
  t.is<unknown, unknown>(specsWith(binding('c', '{name: web}'))[0], SPEC);
});

test('proxies tell the labels that bindings name, and no others', (t) => {
  t.deepEqual(bindingLabelKeys(contextOf([SPEC])), []);
  t.deepEqual(bindingLabelKeys(contextOf([binding('b', V1, V2_GOLD)])), ['tier', 'version']);
  const api = object(
    'HTTPAPISpecBinding',
    'c',
    '{services: [{name: web, labels: {zone: a, version: v1}}], apiSpecs: [{name: api}]}',
  );
  t.deepEqual(bindingLabelKeys(contextOf([api])), ['version', 'zone']);
  t.deepEqual(bindingLabelKeys(contextOf([api, binding('b', V2_GOLD)])), ['tier', 'version', 'zone']);
});
