import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import type { ObjectChange } from '../../../../src/model/object-change.js';
import type { ApiKeySecret } from '../../../../src/model/policy/plans/api-key-secrets.js';
import { MAX_PLAN_KEYS } from '../../../../src/model/policy/plans/resolved-plans.js';
import { createServicePolicies } from '../../../../src/model/policy/service-policies.js';
import type { PushContext } from '../../../../src/model/push-context.js';
import { policyObject } from '../../../status/analysis/support.js';
import { batch, gone, service, snapshot, storeWith } from '../../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';
const hashOf = (digit: string): string => digit.repeat(64);
const GOLD = policyObject('Plan shop/gold {services: [{name: web}], limits: [{name: m, requests: 5, per: minute}]}');
const SILVER = policyObject('Plan shop/silver {services: [{name: web}]}');

function consumer(name: string, keys: string, plan = 'gold'): MeshObject {
  return policyObject(`Consumer shop/${name} {plan: {name: ${plan}}, keys: [${keys}]}`);
}

function mesh(...objects: readonly MeshObject[]) {
  const store = storeWith();
  store.apply(batch(service('shop/web'), ...objects));
  const policiesOf = createServicePolicies();
  let context: PushContext | undefined;
  return {
    store,
    next: (...changes: readonly (MeshObject | ObjectChange)[]) => {
      store.apply(batch(...changes));
      context = snapshot(store, context);
      return policiesOf(context);
    },
    secrets: (secrets: Readonly<Record<string, ApiKeySecret>>) =>
      store.setApiKeySecrets(new Map(Object.entries(secrets)), new Set(Object.keys(secrets))),
  };
}

function keysIn(entries: Readonly<Record<string, readonly string[]>>): ApiKeySecret {
  return { type: 'keys', entries: new Map(Object.entries(entries)) };
}

test('a service names its plans, and a plan has the hashes of the keys of its consumers', (t) => {
  const { next } = mesh(GOLD, SILVER, consumer('acme', `{sha256: ${hashOf('a')}}, {sha256: ${hashOf('b')}}`));
  const { find, plan, planNames } = next();
  t.deepEqual(find(WEB)?.plans, ['shop/gold', 'shop/silver']);
  t.deepEqual(planNames, ['shop/gold', 'shop/silver']);
  t.deepEqual(plan('shop/gold')?.consumers, [{ name: 'shop/acme', keys: [hashOf('a'), hashOf('b')] }]);
  t.deepEqual(plan('shop/silver')?.consumers, []);
  t.is(plan('shop/bronze'), undefined);
});

test('keys in Secrets count when they are read, and a plan says that they are not read yet', (t) => {
  const { next, secrets } = mesh(GOLD, consumer('acme', '{secretRef: {name: s}}, {secretRef: {name: t, key: one}}'));
  t.like(next().plan('shop/gold'), { consumers: [{ keys: [] }], isLoading: true });
  secrets({
    'shop/s': keysIn({ one: [hashOf('a')], two: [hashOf('b')] }),
    'shop/t': keysIn({ one: [hashOf('c')], two: [hashOf('d')] }),
  });
  const plan = next().plan('shop/gold');
  t.deepEqual(plan?.consumers[0]?.keys, [hashOf('a'), hashOf('b'), hashOf('c')]);
  t.false('isLoading' in (plan ?? {}));
});

test('a removed key and a Secret that is gone count no more', (t) => {
  const { next, secrets } = mesh(GOLD, consumer('acme', '{secretRef: {name: s}}'));
  secrets({ 'shop/s': keysIn({ one: [hashOf('a'), hashOf('b')] }) });
  t.deepEqual(next().plan('shop/gold')?.consumers[0]?.keys, [hashOf('a'), hashOf('b')]);
  secrets({ 'shop/s': keysIn({ one: [hashOf('b')] }) });
  t.deepEqual(next().plan('shop/gold')?.consumers[0]?.keys, [hashOf('b')]);
  secrets({ 'shop/s': { type: 'unusable', reason: 'it does not exist' } });
  t.deepEqual(next().plan('shop/gold')?.consumers[0]?.keys, []);
});

test('a plan keeps its very object until it, a consumer or a key changes', (t) => {
  const acme = consumer('acme', `{sha256: ${hashOf('a')}}`);
  const { next, secrets } = mesh(GOLD, SILVER, acme, consumer('other', '{secretRef: {name: s}}', 'silver'));
  const before = next();
  const [gold, silver, web] = [before.plan('shop/gold'), before.plan('shop/silver'), before.find(WEB)];
  const labelled = { ...acme, metadata: { ...acme.metadata, labels: { a: 'b' }, resourceVersion: 'other' } };
  t.is(next(service('shop/late'), labelled).plan('shop/gold'), gold);
  secrets({ 'shop/s': keysIn({ one: [hashOf('c')] }) });
  const after = next();
  t.is(after.plan('shop/gold'), gold);
  t.not(after.plan('shop/silver'), silver);
  t.is(after.find(WEB), web, 'services name plans, which change without them');
  t.not(next(gone(acme)).plan('shop/gold'), gold);
});

test('a changed Secret makes a push request that names the Consumers that name it', (t) => {
  const { secrets } = mesh(
    GOLD,
    consumer('acme', '{secretRef: {name: s}}'),
    consumer('other', '{secretRef: {name: t}}'),
  );
  const { push } = secrets({ 'shop/s': keysIn({ one: [hashOf('a')] }) });
  t.like(push, { full: true, changed: new Set(['Consumer/shop/acme']) });
});

test('the consumers beyond the limit of keys are left out', (t) => {
  const many = (count: number) =>
    keysIn({ all: Array.from({ length: count }, (_, n) => n.toString(16).padStart(64, '0')) });
  const { next, secrets } = mesh(
    GOLD,
    consumer('a', '{secretRef: {name: s}}'),
    consumer('b', `{sha256: ${hashOf('b')}}`),
  );
  secrets({ 'shop/s': many(MAX_PLAN_KEYS - 1) });
  t.deepEqual(
    next()
      .plan('shop/gold')
      ?.consumers.map(({ name }) => name),
    ['shop/a', 'shop/b'],
  );
  secrets({ 'shop/s': many(MAX_PLAN_KEYS) });
  t.deepEqual(
    next()
      .plan('shop/gold')
      ?.consumers.map(({ name }) => name),
    ['shop/a'],
  );
});
