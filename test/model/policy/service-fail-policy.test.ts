import test from 'ava';
import { keptFailPolicies, keptIndexOf, ownFailPolicyOf } from '../../../src/model/policy/own-fail-policy.js';
import { readServiceFailPolicy } from '../../../src/model/policy/read-service-fail-policy.js';
import { createServicePolicies } from '../../../src/model/policy/service-policies.js';
import type { Service } from '../../../src/model/service.js';
import { batch, contextOf, service, serviceEntry, snapshot, storeWith } from '../mesh-objects.js';

const P = 'policy.mesh.internal/';
const CLOSED = { policyCheckFailOpen: false };
const ALL = {
  [`${P}failPolicy`]: 'FAIL_OPEN',
  [`${P}maxRetry`]: '3',
  [`${P}baseRetryWait`]: '20ms',
  [`${P}maxRetryWait`]: '1.5s',
};
const ALL_READ = { policy: 'FAIL_OPEN', maxRetry: 3, baseRetryWait: '20ms', maxRetryWait: '1500ms' };
const HOST = 'web.shop.svc.cluster.local';

const read = (annotations: Readonly<Record<string, string>>) => readServiceFailPolicy(annotations, 'mesh.internal');
/** The policy that holds in a mesh whose default is FAIL_CLOSE. */
const own = (annotations: Readonly<Record<string, string>>) => {
  return ownFailPolicyOf(read(annotations), CLOSED);
};

test('a service without annotations has no fail policy of its own', (t) => {
  t.deepEqual(read({}), { refused: [] });
  t.deepEqual(read({ 'other.example.com/failPolicy': 'FAIL_OPEN' }), { refused: [] });
});

test('each annotation is read, and the mesh config has the rest', (t) => {
  t.deepEqual(own(ALL), ALL_READ);
  t.like(own({ [`${P}maxRetry`]: '2' }), {
    policy: 'FAIL_CLOSE',
    maxRetry: 2,
    baseRetryWait: '80ms',
    maxRetryWait: '1s',
  });
  t.like(own({ [`${P}baseRetryWait`]: '3s' }), { baseRetryWait: '3s', maxRetryWait: '3s' });
});

const WRONG: readonly (readonly [name: string, value: string, problem: RegExp])[] = [
  ['failPolicy', 'FAIL_CLOSED', /^counts as FAIL_CLOSE: use FAIL_OPEN or FAIL_CLOSE$/],
  ['failPolicy', '', /^counts as FAIL_CLOSE/],
  ['maxRetry', 'many', /^is ignored, and the default holds: use a whole number from 0 to 100$/],
  ['maxRetry', '101', /^is ignored/],
  ['baseRetryWait', '0s', /^is ignored, and the default holds: use a duration of whole milliseconds/],
  ['maxRetryWait', '25h', /^is ignored/],
  ['failpolicy', 'FAIL_OPEN', /^does nothing on a service: did you mean policy\.mesh\.internal\/failPolicy\?$/],
  ['check', 'enable', /^does nothing on a service: use one of failPolicy, maxRetry, baseRetryWait, maxRetryWait$/],
];

for (const [name, value, problem] of WRONG) {
  test(`${name}: ${JSON.stringify(value)} is refused with its remedy, and the others hold`, (t) => {
    const { [P + name]: _, ...others } = ALL as Record<string, string>;
    const { refused: all } = read({ ...others, [P + name]: value });
    t.deepEqual(
      all.map((refused) => [refused.annotation, refused.value]),
      [[P + name, value]],
    );
    const [refused] = all;
    t.regex(`${refused?.problem}: ${refused?.remedy}`, problem);
    const kept = Object.fromEntries(Object.entries(ALL_READ).filter(([field]) => field !== name && field !== 'policy'));
    t.like(own({ ...others, [P + name]: value }), kept);
  });
}

test('a failPolicy that cannot be read closes, also where the mesh is open', (t) => {
  t.like(ownFailPolicyOf(read({ [`${P}failPolicy`]: 'close' }), { policyCheckFailOpen: true }), {
    policy: 'FAIL_CLOSE',
  });
});

test('only annotations that cannot be used leave the fail policy of the mesh', (t) => {
  t.is(own({ [`${P}maxRetry`]: 'x' }), undefined);
});

test('a longest wait that is shorter than the first one is reported', (t) => {
  const { refused } = read({ [`${P}baseRetryWait`]: '2s', [`${P}maxRetryWait`]: '1s' });
  t.deepEqual(
    refused.map(({ annotation }) => annotation),
    [`${P}maxRetryWait`],
  );
});

test('Services and ServiceEntries carry it into their client configurations, and lose it again', (t) => {
  const store = storeWith();
  store.apply(
    batch(
      service('shop/web', {}, { annotations: ALL }),
      service('shop/plain'),
      serviceEntry('shop/api', { hosts: ['api.example.com'] }, { annotations: ALL }),
    ),
  );
  const policiesOf = createServicePolicies();
  const first = snapshot(store);
  const policies = policiesOf(first);
  for (const host of [HOST, 'api.example.com']) t.deepEqual(policies.find(host)?.networkFailPolicy, ALL_READ as never);
  const plain = policies.find('plain.shop.svc.cluster.local');
  t.false('networkFailPolicy' in (plain ?? {}));
  store.apply(batch(service('shop/web')));
  const next = policiesOf(snapshot(store, first));
  t.is(next.find(HOST)?.networkFailPolicy, undefined);
  t.is(next.find('plain.shop.svc.cluster.local'), plain, 'other services keep their configuration');
});

test('fields without an annotation change with the mesh config', (t) => {
  const context = contextOf([service('shop/web', {}, { annotations: { [`${P}maxRetry`]: '1' } })]);
  const policiesOf = createServicePolicies();
  const policyIn = (policyCheckFailOpen: boolean) => {
    const policy = { ...context.mesh.policy, policyCheckFailOpen };
    return policiesOf({ ...context, mesh: { ...context.mesh, policy } }).find(HOST)?.networkFailPolicy?.policy;
  };
  t.deepEqual([policyIn(true), policyIn(false)], ['FAIL_OPEN', 'FAIL_CLOSE']);
});

test('the second of two ServiceEntries for a host can give it a fail policy', (t) => {
  const entry = (name: string, number: number, annotations: Readonly<Record<string, string>>) =>
    serviceEntry(
      `shop/${name}`,
      { hosts: ['api.example.com'], ports: [{ number, name: `http-${number}`, protocol: 'HTTP' }] },
      { annotations },
    );
  const context = contextOf([entry('a', 80, {}), entry('b', 81, ALL)]);
  t.is(context.servicesByHost.get('api.example.com')?.ports.length, 2);
  t.is(context.servicesByHost.get('api.example.com')?.failPolicy?.policy, 'FAIL_OPEN');
});

test('of more than six fail policies those of most namespaces are kept, and others share two without retries', (t) => {
  const services = Array.from(
    { length: 20 },
    (_, index): readonly Service[] =>
      contextOf([service(`n${index}/web`, {}, { annotations: { [`${P}maxRetry`]: String(index < 6 ? 7 : index) } })])
        .services,
  ).flat();
  const kept = keptFailPolicies(services, CLOSED);
  t.is(kept.length, 6);
  t.is(kept[0]?.maxRetry, 7);
  for (const each of services) {
    const policy = ownFailPolicyOf(each, CLOSED);
    t.is(policy && kept[keptIndexOf(kept, policy)]?.policy, 'FAIL_CLOSE');
  }
});
