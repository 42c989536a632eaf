import test from 'ava';
import type { AuthorizationPolicySpec } from '../../../src/config/security/authorization-policy.js';
import { type CallRight, callRights, rightByPolicies } from '../../../src/introspection/web/call-rights.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { context, endpoint, service } from '../fixtures/mesh.js';

const WEB = { uri: 'spiffe://cluster.local/ns/shop/sa/web', namespace: 'shop' };

function policy(name: string, action: string, ...rules: object[]) {
  return { name, namespace: 'shop', spec: { action, rules } as AuthorizationPolicySpec };
}

const authorization = (policies: ReturnType<typeof policy>[]) => ({ key: 'k', policies, isTooLarge: false });
const from = (source: object) => ({ from: [{ source }] });
const GET = { to: [{ operation: { methods: ['GET'] } }] };

const CASES: readonly (readonly [title: string, policies: ReturnType<typeof policy>[], right: CallRight['type']])[] = [
  ['without policies, every caller is accepted', [], 'allowed'],
  ['ALLOW without rules allows nothing', [policy('a', 'ALLOW')], 'denied'],
  ['an empty rule allows everything', [policy('a', 'ALLOW', {})], 'allowed'],
  ['a principal is allowed', [policy('a', 'ALLOW', from({ principals: ['cluster.local/ns/shop/sa/web'] }))], 'allowed'],
  [
    'another principal is denied',
    [policy('a', 'ALLOW', from({ principals: ['cluster.local/ns/shop/sa/db'] }))],
    'denied',
  ],
  ['a prefix is allowed', [policy('a', 'ALLOW', from({ principals: ['cluster.local/ns/shop/*'] }))], 'allowed'],
  ['a namespace is allowed', [policy('a', 'ALLOW', from({ namespaces: ['shop'] }))], 'allowed'],
  ['an excluded namespace is denied', [policy('a', 'ALLOW', from({ notNamespaces: ['shop'] }))], 'denied'],
  ['a method allows some requests', [policy('a', 'ALLOW', { ...from({ namespaces: ['shop'] }), ...GET })], 'some'],
  ['a token allows some requests', [policy('a', 'ALLOW', from({ requestPrincipals: ['*'] }))], 'some'],
  ['DENY has precedence', [policy('a', 'ALLOW', {}), policy('d', 'DENY', from({ namespaces: ['shop'] }))], 'denied'],
  ['DENY of a method leaves some requests', [policy('d', 'DENY', GET)], 'some'],
  ['DENY of others changes nothing', [policy('d', 'DENY', from({ namespaces: ['other'] }))], 'allowed'],
  ['AUDIT decides nothing', [policy('a', 'AUDIT', {})], 'allowed'],
];

for (const [title, policies, right] of CASES) {
  test(`the map of calls: ${title}`, (t) => {
    t.is(rightByPolicies(authorization(policies), ['cluster.local'], WEB).type, right);
  });
}

test('the map of calls names the policies that decide', (t) => {
  t.deepEqual(
    rightByPolicies(authorization([policy('d', 'DENY', {}), policy('a', 'ALLOW', {})]), ['cluster.local'], WEB),
    {
      type: 'denied',
      policies: ['AuthorizationPolicy/shop/d'],
    },
  );
});

test('the map of calls reads the policies of a service once for all callers', (t) => {
  const endpoints = Array.from({ length: 20 }, (_, index) => endpoint({ address: `10.0.0.${index}` }));
  const web = service();
  const mesh = context({
    services: [web],
    endpoints: [
      {
        hostname: web.hostname,
        namespace: web.namespace,
        shards: new Map([['Kubernetes/a', endpoints]]),
        serviceAccounts: [],
      },
    ],
  });
  let reads = 0;
  const authorizationPolicies: PushContext['authorizationPolicies'] = {
    ...mesh.authorizationPolicies,
    ofWorkload: (namespace, labels) => {
      reads++;
      return mesh.authorizationPolicies.ofWorkload(namespace, labels);
    },
  };
  const callers = Array.from({ length: 10 }, () => WEB);
  const rights = callRights({ ...mesh, authorizationPolicies }, callers, web);
  t.deepEqual(
    rights.map(({ type }) => type),
    callers.map(() => 'allowed'),
  );
  t.is(reads, 1);
});
