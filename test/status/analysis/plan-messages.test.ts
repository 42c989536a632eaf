import { createHash } from 'node:crypto';
import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { secretsForbidden } from '../../../src/kubernetes/watch/secret.js';
import type { ApiKeySecret } from '../../../src/model/policy/plans/api-key-secrets.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { namespaceThatGrants, ofCluster, tenantMesh } from '../../model/policy/tenant-objects.js';
import { ENFORCEMENT, policyContext, policyObject, shown } from './support.js';

const WEB =
  'ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}';
const TCP = WEB.replaceAll('web', 'db').replace('HTTP}', 'TCP}').replace('name: http', 'name: tcp');
const GOLD = 'Plan shop/gold {services: [{name: web}]}';
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const ONE = hashOf('one');

/** The messages about one mesh, without remedies, and without those about its settings. */
function messagesOf(objects: string, secrets: Readonly<Record<string, ApiKeySecret>> = {}): readonly string[] {
  const context = { ...policyContext(`${WEB}\n${objects}`), apiKeySecrets: new Map(Object.entries(secrets)) };
  return analyze(analysisInputOf(context, ENFORCEMENT))
    .filter(({ code }) => code !== 'MESH0204')
    .map((message) => shown(message).split('; ')[0] ?? '');
}

/** The messages that a review of the object gives, likewise. */
function reviewOf(
  candidate: MeshObject,
  objects: string | readonly MeshObject[],
  secrets: Readonly<Record<string, ApiKeySecret>> = {},
): readonly string[] {
  const mesh = typeof objects === 'string' ? policyContext(`${WEB}\n${objects}`) : tenantMesh(objects).context;
  const context = { ...mesh, apiKeySecrets: new Map(Object.entries(secrets)) };
  return (
    createCandidateAnalysis(context)(candidate, ENFORCEMENT)
      // The services of the tenants share an address.
      .filter(({ code }) => code !== 'MESH0204' && code !== 'MESH0219')
      .map((message) => shown(message).split('; ')[0] ?? '')
  );
}

test('a plan with a consumer that has a key has no messages', (t) => {
  t.deepEqual(messagesOf(`${GOLD}\nConsumer shop/acme {plan: {name: gold}, keys: [{sha256: ${ONE}}]}`), []);
});

test('a plan without consumers admits no request, unless it is for requests without keys', (t) => {
  t.deepEqual(messagesOf(GOLD), [
    'MESH0295 Plan/shop/gold: no Consumer names it, and anonymous is never: it admits no request',
  ]);
  t.deepEqual(messagesOf('Plan shop/free {services: [{name: web}], anonymous: withoutKey}'), []);
});

test('a consumer of a plan that is missing, or of a namespace without a grant, is told the command', (t) => {
  const key = `keys: [{sha256: ${ONE}}]`;
  t.deepEqual(messagesOf(`Consumer shop/acme {plan: {name: gone}, ${key}}`), [
    'MESH0101 Consumer/shop/acme spec.plan: Plan/shop/gone does not exist',
  ]);
  const ofOthers = [
    'Plan shop/gold {services: [{name: web}], anonymous: withoutKey}',
    `Consumer evil/acme {plan: {name: gold, namespace: shop}, ${key}}`,
  ];
  const told = (grants: readonly MeshObject[] = []) =>
    analyze(analysisInputOf(tenantMesh([...ofOthers.map(ofCluster), ...grants]).context, ENFORCEMENT))
      .filter(({ code }) => code === 'MESH0214')
      .map((message) => shown(message).split('; ')[0]);
  t.deepEqual(told(), [
    'MESH0214 Consumer/evil/acme spec.plan: namespace shop does not let Consumers of evil use Plan/shop/gold: run kubectl annotate --overwrite namespace shop policy.mesh.internal/bindings-from=evil',
  ]);
  t.deepEqual(told([namespaceThatGrants('shop', 'evil')]), []);
});

test('services of a plan are judged like those of a binding', (t) => {
  t.deepEqual(
    messagesOf(`${TCP}
      Plan shop/gold {services: [{name: gone}, {name: db}]}
      Consumer shop/acme {plan: {name: gold}, keys: [{sha256: ${ONE}}]}`),
    [
      'MESH0202 Plan/shop/gold spec.services[0]: there is no service gone.shop.svc.cluster.local',
      'MESH0217 Plan/shop/gold spec.services[1]: db.shop.svc.cluster.local has no HTTP port (80 tcp), and a connection has no key, so all are refused',
    ],
  );
});

test('Secrets without usable keys are named with place and reason, and keys that are not read yet are not', (t) => {
  const objects = `${GOLD}
    Consumer shop/acme {plan: {name: gold}, keys: [{secretRef: {name: a}}, {secretRef: {name: b, key: gone}}, {secretRef: {name: later}}]}
    Consumer shop/idle {plan: {name: gold}}`;
  t.deepEqual(
    messagesOf(objects, {
      'shop/a': { type: 'unusable', reason: 'it does not exist' },
      'shop/b': { type: 'keys', entries: new Map([['key', [ONE]]]) },
    }),
    [
      'MESH0292 Consumer/shop/acme spec.keys[0].secretRef: the Secret a gives no keys: it does not exist',
      'MESH0292 Consumer/shop/acme spec.keys[1].secretRef: the Secret b has no entry gone',
      'MESH0291 Consumer/shop/idle spec.keys: spec.keys is empty',
    ],
  );
});

test('a key of two consumers is told to the younger one, without the hash and the name of the other', (t) => {
  const found = messagesOf(`${GOLD}
    Consumer shop/a {plan: {name: gold}, keys: [{sha256: ${ONE}}]}
    Consumer shop/b {plan: {name: gold}, keys: [{sha256: ${hashOf('two')}}, {sha256: ${ONE}}]}`);
  t.deepEqual(found, ['MESH0293 Consumer/shop/b spec.keys: an older Consumer of the plan has 1 of its keys too']);
  t.false(found.join().includes(ONE.slice(0, 8)));
});

const ACME = `Consumer shop/acme {plan: {name: gold}, keys: [{sha256: ${ONE}}]}`;

test('a review of a plan tells of its services and of missing consumers, and not of other plans', (t) => {
  const others = 'Plan shop/silver {services: [{name: gone}]}\nConsumer shop/idle {plan: {name: gold}}';
  const review = (plan: string, objects: string) => reviewOf(policyObject(plan), objects);
  t.deepEqual(review('Plan shop/gold {services: [{name: wbe}, {name: web}, {name: web}]}', others), [
    'MESH0202 Plan/shop/gold spec.services[0]: there is no service wbe.shop.svc.cluster.local',
    'MESH0216 Plan/shop/gold spec.services[2]: services[1] names the same (web.shop.svc.cluster.local)',
  ]);
  t.deepEqual(review('Plan shop/gold {services: [{name: db}]}', `${TCP}\n${ACME}`), [
    'MESH0217 Plan/shop/gold spec.services[0]: db.shop.svc.cluster.local has no HTTP port (80 tcp), and a connection has no key, so all are refused',
  ]);
  t.deepEqual(review('Plan shop/bronze {services: [{name: web}]}', others), [
    'MESH0295 Plan/shop/bronze: no Consumer names it, and anonymous is never: it admits no request',
  ]);
  t.deepEqual(review(GOLD, others), []);
});

test('a review of a consumer tells of its plan and its keys, and not of other consumers', (t) => {
  const mesh = `${GOLD}\n${ACME}\nConsumer shop/idle {plan: {name: gone}}`;
  const review = (consumer: string, secrets?: Readonly<Record<string, ApiKeySecret>>) =>
    reviewOf(policyObject(consumer), mesh, secrets);
  t.deepEqual(review(`Consumer shop/new {plan: {name: glod}, keys: [{sha256: ${ONE}}]}`), [
    'MESH0101 Consumer/shop/new spec.plan: Plan/shop/glod does not exist',
  ]);
  t.deepEqual(review('Consumer shop/new {plan: {name: gold}}'), [
    'MESH0291 Consumer/shop/new spec.keys: spec.keys is empty',
  ]);
  t.deepEqual(
    review('Consumer shop/new {plan: {name: gold}, keys: [{secretRef: {name: a}}, {secretRef: {name: unread}}]}', {
      'shop/a': { type: 'unusable', reason: 'it does not exist' },
    }),
    ['MESH0292 Consumer/shop/new spec.keys[0].secretRef: the Secret a gives no keys: it does not exist'],
  );
  t.deepEqual(review(`Consumer shop/new {plan: {name: gold}, keys: [{sha256: ${ONE}}]}`), [
    'MESH0293 Consumer/shop/new spec.keys: an older Consumer of the plan has 1 of its keys too',
  ]);
  t.deepEqual(review(ACME), [], 'the old version of the object has the same key');
});

function aged(line: string, creationTimestamp: string): MeshObject {
  const object = ofCluster(line);
  return { ...object, metadata: { ...object.metadata, creationTimestamp } };
}

test('a reviewed consumer without a time is the youngest, unless its old version has one', (t) => {
  const plan = ofCluster('Plan shop/gold {services: [{name: web}]}');
  const consumer = (name: string) => `Consumer shop/${name} {plan: {name: gold}, keys: [{sha256: ${ONE}}]}`;
  const others = [plan, aged(consumer('zeta'), '2026-05-01T00:00:00Z')];
  t.is(reviewOf(ofCluster(consumer('acme')), others)[0]?.slice(0, 8), 'MESH0293');
  const old = aged('Consumer shop/acme {plan: {name: gold}}', '2026-01-01T00:00:00Z');
  t.deepEqual(reviewOf(ofCluster(consumer('acme')), [...others, old]), []);
});

test('a reviewed consumer without the grant of the plan learns neither the plan nor the keys of its consumers', (t) => {
  const taken = ofCluster(`Consumer evil/probe {plan: {name: gold, namespace: shop}, keys: [{sha256: ${ONE}}]}`);
  const objects = [ofCluster('Plan shop/gold {services: [{name: web}]}'), aged(ACME, '2026-05-01T00:00:00Z')];
  const codes = (mesh: readonly MeshObject[]) => reviewOf(taken, mesh).map((line) => line.slice(0, 8));
  t.deepEqual(codes(objects), ['MESH0214']);
  t.deepEqual(codes([]), ['MESH0214']);
  t.deepEqual(codes([...objects, namespaceThatGrants('shop', 'evil')]), ['MESH0293']);
});

test('a Secret that may not be read is told with one remedy', (t) => {
  const { reason, remedy } = secretsForbidden('shop');
  const context = {
    ...policyContext(`${WEB}\n${GOLD}\nConsumer shop/acme {plan: {name: gold}, keys: [{secretRef: {name: a}}]}`),
    apiKeySecrets: new Map([['shop/a', { type: 'unusable', reason, remedy } as const]]),
  };
  const found = analyze(analysisInputOf(context, ENFORCEMENT)).filter(({ code }) => code === 'MESH0292');
  t.deepEqual(
    found.map(({ message }) => message),
    [
      'the Secret a gives no keys: the control plane may not read secrets of its namespace; allow the control plane to list and watch secrets in namespace shop (a Role and a RoleBinding)',
    ],
  );
});
