import test from 'ava';
import { createBoundHosts } from '../../../src/generators/policy/bound-hosts.js';
import { buildBinding, policyContext } from './policy-context.js';

const HOST = { hostname: 'web.default.svc.cluster.local', namespace: 'default' };

function reaches(kind: 'QuotaSpecBinding' | 'HTTPAPISpecBinding', service: object, host = HOST): boolean {
  return createBoundHosts()(policyContext({}, {}, [buildBinding(kind, service)]))(host);
}

for (const kind of ['QuotaSpecBinding', 'HTTPAPISpecBinding'] as const) {
  test(`a ${kind} reaches the services that it names, whether its spec exists or not`, (t) => {
    t.true(reaches(kind, { name: 'web' }));
    t.true(reaches(kind, { service: HOST.hostname }));
    t.true(reaches(kind, { service: '*' }));
    t.true(reaches(kind, { service: '*.default.*' }));
    t.false(reaches(kind, { name: 'web', namespace: 'other' }));
    t.false(reaches(kind, { name: 'other' }));
    t.false(reaches(kind, { service: 'web.*' }));
  });
}

test('no service is bound without bindings', (t) => {
  t.false(createBoundHosts()(policyContext({}))(HOST));
});

test('a snapshot with the same bindings has the same reach, one with others its own', (t) => {
  const boundHostsOf = createBoundHosts();
  const context = policyContext({}, {}, [buildBinding('QuotaSpecBinding', { name: 'web' })]);
  const reach = boundHostsOf(context);
  t.is(boundHostsOf({ ...policyContext({}), objects: context.objects, bindingGrants: context.bindingGrants }), reach);
  t.false(boundHostsOf(policyContext({}))(HOST));
  t.true(boundHostsOf(context)(HOST));
});

test('names without a domain mean the domain of the cluster', (t) => {
  const boundHostsOf = createBoundHosts();
  const context = policyContext({}, {}, [buildBinding('QuotaSpecBinding', { name: 'web' })]);
  t.true(boundHostsOf(context)(HOST));
  t.false(boundHostsOf({ ...context, domain: 'acme.io' })(HOST));
  t.true(boundHostsOf({ ...context, domain: 'acme.io' })({ ...HOST, hostname: 'web.default.svc.acme.io' }));
});
