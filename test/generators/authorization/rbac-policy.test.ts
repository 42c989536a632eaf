import test from 'ava';
import type { AuthorizationRule } from '../../../src/config/security/authorization-policy.js';
import { buildHttpRbac } from '../../../src/envoy/rbac.js';
import { createAuthorizationPlugin } from '../../../src/generators/authorization/authorization-plugin.js';
import { buildRbacPolicy, type RuleContext } from '../../../src/generators/authorization/rbac-policy.js';
import { createListenerGenerator } from '../../../src/generators/listeners/listener-generator.js';
import { largePolicies } from '../../config/support/large-policies.js';
import { readObject } from '../../config/support/read-yaml.js';
import { findEnvoy } from '../../counterparts/find-envoy.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';
import { buildContext, buildPort, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { validateWithEnvoy } from '../envoy-verdict.js';
import { ENCODER, generateAll } from '../served-resources.js';

const HTTP: RuleContext = { action: 'ALLOW', as: 'http', trustDomains: ['cluster.local'] };
const TCP: RuleContext = { ...HTTP, as: 'tcp' };
const DENY_TCP: RuleContext = { ...TCP, action: 'DENY' };

const requestPrincipal = (...requestPrincipals: [string, ...string[]]): AuthorizationRule => ({
  from: [{ source: { requestPrincipals } }],
});
const claim = (name: string, value: object) => ({
  metadata: {
    filter: 'envoy.filters.http.jwt_authn',
    path: [{ key: 'payload' }, { key: name }],
    value: { stringMatch: value },
  },
});
const both = (issuer: object, subject: object) => ({ andIds: { ids: [claim('iss', issuer), claim('sub', subject)] } });
const ANY_TEXT = { safeRegex: { regex: '.+' } };

const SUBJECTS: Readonly<Record<string, unknown>> = {
  '*': both(ANY_TEXT, ANY_TEXT),
  'issuer/alice': both({ exact: 'issuer' }, { exact: 'alice' }),
  'https://a/bob': {
    orIds: {
      ids: [
        both({ exact: 'https:' }, { exact: '/a/bob' }),
        both({ exact: 'https:/' }, { exact: 'a/bob' }),
        both({ exact: 'https://a' }, { exact: 'bob' }),
      ],
    },
  },
  'issuer/*': {
    orIds: { ids: [both({ exact: 'issuer' }, ANY_TEXT), both({ prefix: 'issuer/' }, ANY_TEXT)] },
  },
  'issuer/al*': {
    orIds: { ids: [both({ exact: 'issuer' }, { prefix: 'al' }), both({ prefix: 'issuer/al' }, ANY_TEXT)] },
  },
  '*/alice': { orIds: { ids: [both(ANY_TEXT, { exact: 'alice' }), both(ANY_TEXT, { suffix: '/alice' })] } },
  '*er/alice': {
    orIds: { ids: [both({ suffix: 'er' }, { exact: 'alice' }), both(ANY_TEXT, { suffix: 'er/alice' })] },
  },
  nobody: { notId: { any: true } },
};

for (const [value, expected] of Object.entries(SUBJECTS)) {
  test(`the request principal ${value} is compared with issuer and subject, whichever slash is between them`, (t) => {
    t.deepEqual(buildRbacPolicy(requestPrincipal(value), HTTP)?.principals, [expected]);
  });
}

test('a claim matches as a text and in a list, nested ones by their path', (t) => {
  const rule: AuthorizationRule = { when: [{ key: 'request.auth.claims[realm][roles]', values: ['buyer'] }] };
  const path = [{ key: 'payload' }, { key: 'realm' }, { key: 'roles' }];
  const filter = 'envoy.filters.http.jwt_authn';
  const text = { stringMatch: { exact: 'buyer' } };
  t.deepEqual(buildRbacPolicy(rule, HTTP), {
    permissions: [{ any: true }],
    principals: [
      {
        orIds: {
          ids: [
            { metadata: { filter, path, value: text } },
            { metadata: { filter, path, value: { listMatch: { oneOf: text } } } },
          ],
        },
      },
    ],
  });
});

test('metadata of a filter is compared on connections too, in brackets as an item of a list', (t) => {
  const key = 'experimental.proxy.filters.network.mysql_proxy[shop.orders]';
  const rule: AuthorizationRule = { when: [{ key, values: ['[select]', 'up*'] }] };
  const of = { filter: 'envoy.filters.network.mysql_proxy', path: [{ key: 'shop.orders' }] };
  t.deepEqual(buildRbacPolicy(rule, TCP)?.principals, [
    {
      orIds: {
        ids: [
          { metadata: { ...of, value: { listMatch: { oneOf: { stringMatch: { exact: 'select' } } } } } },
          { metadata: { ...of, value: { stringMatch: { prefix: 'up' } } } },
        ],
      },
    },
  ]);
});

test('the conditions of a rule are in its filter once, however many sources and operations it has', (t) => {
  const paths = ['/a', '/b'].map((path) => ({ operation: { paths: [path] } }));
  const namespaces = ['10.0.0.1', '10.0.0.2'].map((address) => ({ source: { ipBlocks: [address] } }));
  const when = [
    { key: 'destination.port', values: ['80'] },
    { key: 'request.headers[a]', values: ['b'] },
  ];
  const path = (exact: string) => ({ urlPath: { path: { exact } } });
  const built = buildRbacPolicy({ from: namespaces, to: paths, when }, HTTP);
  t.deepEqual(built?.permissions, [
    { andRules: { rules: [{ orRules: { rules: [path('/a'), path('/b')] } }, { destinationPort: 80 }] } },
  ]);
  t.is(built?.principals?.length, 1);
  t.is(JSON.stringify(built).split('"exact":"b"').length, 2);
  t.is(buildRbacPolicy({ from: namespaces, to: paths }, HTTP)?.permissions?.length, 2);
});

test('a value without a trust domain is not taken for one of the own trust domain', (t) => {
  const rule: AuthorizationRule = { from: [{ source: { principals: ['cluster.local.*'] } }] };
  const principals = buildRbacPolicy(rule, { ...HTTP, trustDomains: ['cluster.local', 'old'] })?.principals;
  t.deepEqual(principals, [{ authenticated: { principalName: { prefix: 'spiffe://cluster.local.' } } }]);
});

const OF_REQUESTS: readonly (readonly [string, AuthorizationRule])[] = [
  ['hosts', { to: [{ operation: { hosts: ['a'] } }] }],
  ['notHosts', { to: [{ operation: { notHosts: ['a'] } }] }],
  ['methods', { to: [{ operation: { methods: ['GET'] } }] }],
  ['notMethods', { to: [{ operation: { notMethods: ['GET'] } }] }],
  ['paths', { to: [{ operation: { paths: ['/'] } }] }],
  ['notPaths', { to: [{ operation: { notPaths: ['/'] } }] }],
  ['requestPrincipals', requestPrincipal('*')],
  ['notRequestPrincipals', { from: [{ source: { notRequestPrincipals: ['*'] } }] }],
  ...[
    'request.headers[a]',
    'request.auth.principal',
    'request.auth.audiences',
    'request.auth.presenter',
    'request.auth.claims[a]',
  ].map((key): [string, AuthorizationRule] => [key, { when: [{ key, values: ['a'] }] }]),
];

for (const [field, rule] of OF_REQUESTS) {
  test(`${field} on connections: ALLOW and AUDIT do not match, and DENY matches whatever the field says`, (t) => {
    t.is(buildRbacPolicy(rule, TCP), undefined);
    t.is(buildRbacPolicy(rule, { ...TCP, action: 'AUDIT' }), undefined);
    t.deepEqual(buildRbacPolicy(rule, DENY_TCP), { permissions: [{ any: true }], principals: [{ any: true }] });
    t.not(buildRbacPolicy(rule, HTTP), undefined);
  });
}

test('on connections the other entries of a list still count', (t) => {
  const rule: AuthorizationRule = { to: [{ operation: { methods: ['GET'] } }, { operation: { ports: ['9000'] } }] };
  t.deepEqual(buildRbacPolicy(rule, TCP)?.permissions, [{ destinationPort: 9000 }]);
  t.deepEqual(buildRbacPolicy(rule, DENY_TCP)?.permissions, [{ any: true }, { destinationPort: 9000 }]);
});

/** Envoy takes no regular expression of more than 100 instructions. */
const LONGEST_NAMESPACE = 's'.repeat(63);
const PAIRS = {
  source: {
    principals: ['a/ns/b/sa/c', 'a/*', '*/c', '*', `*/${'c'.repeat(1000)}`],
    requestPrincipals: ['iss/sub', 'iss/*', '*/sub', '*', '/a', 'a/'],
    namespaces: ['a', 'a*', '*a', '*', 'a.b', LONGEST_NAMESPACE, `${LONGEST_NAMESPACE}*`, `*${LONGEST_NAMESPACE}`],
    ipBlocks: ['10.0.0.0/8', '10.0.0.1', 'fd00::/8', '::1'],
  },
  operation: {
    hosts: [
      'a.com',
      'a.com:80',
      '*.com',
      'a.*',
      '*',
      '(a|b)[c]\\d{2}',
      '[::1]',
      'k'.repeat(1000),
      `*${'s'.repeat(80)}`,
    ],
    ports: ['1', '65535'],
    methods: ['GET', 'P*', '*T', '*'],
    paths: ['/', '/a*', '*.png', '*'],
  },
} as const;
const twin = (name: string) => `not${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const withTwins = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, values]) => [
      [name, values],
      [twin(name), values],
    ]),
  );
const KEYS: Readonly<Record<string, readonly string[]>> = {
  'request.headers[:path]': ['/a', '*'],
  'source.ip': ['10.0.0.1'],
  'source.namespace': ['a*'],
  'source.principal': ['*'],
  'request.auth.principal': ['*/a'],
  'request.auth.audiences': ['a'],
  'request.auth.presenter': ['*'],
  'request.auth.claims[a][b]': ['*a'],
  'destination.ip': ['fd00::1'],
  'destination.port': ['80'],
  'connection.sni': ['*.com'],
  'experimental.proxy.filters.network.mysql_proxy[a]': ['[b]', 'c'],
};

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const testWithEnvoy = 'value' in envoy ? test : test.skip;

testWithEnvoy('Envoy takes every field, twin, kind of value and key, in each action', async (t) => {
  const rule = {
    from: [{ source: withTwins(PAIRS.source) }],
    to: [{ operation: withTwins(PAIRS.operation) }],
    when: Object.entries(KEYS).map(([key, values]) => ({ key, values, notValues: values })),
  };
  const authorizationPolicies = ['ALLOW', 'DENY', 'AUDIT'].map((action) =>
    readObject(
      JSON.stringify({
        apiVersion: 'security.mesh.internal/v1beta1',
        kind: 'AuthorizationPolicy',
        metadata: { name: action.toLowerCase() },
        spec: { action, rules: [rule, {}] },
      }),
    ),
  );
  const targets = (['http', 'tcp', 'auto'] as const).map((protocol, index) => {
    const port = buildPort({ name: protocol, number: 8080 + index, protocol });
    return { service: buildService({ ports: [port] }), port, targetPort: port.number };
  });
  const context = buildContext({ authorizationPolicies, targets });
  const generator = createListenerGenerator(ENCODER, SETTINGS, [createAuthorizationPlugin(ENCODER, SETTINGS)]);
  const listeners = generateAll(generator, context, buildProxy()).resources;
  const inbound = listeners.filter(({ name }) => name === 'virtualInbound');
  t.is(inbound.length, 1);
  const binary = 'value' in envoy ? envoy.value : '';
  await t.notThrowsAsync(validateWithEnvoy(binary, ENCODER, { clusters: [], listeners: inbound, routes: [] }));
});

test('a workload whose policies are too large together rejects everything', (t) => {
  const plugin = createAuthorizationPlugin(ENCODER, SETTINGS);
  const filtersOf = (count: number) =>
    plugin
      .planListeners(buildContext({ authorizationPolicies: largePolicies(count) }), buildProxy())
      ?.httpFilters({ direction: 'inbound', serviceCluster: undefined });
  const policies = { 'policies-too-large': { permissions: [{ any: true }], principals: [{ any: true }] } };
  const rejecting = buildHttpRbac(ENCODER, { action: 'deny', policies });
  t.notDeepEqual(filtersOf(5), [rejecting]);
  t.deepEqual(filtersOf(6), [rejecting]);
});

test('workloads without policies share their outbound listeners with those that have some', (t) => {
  const plugin = createAuthorizationPlugin(ENCODER, SETTINGS);
  const object = readObject(
    '{apiVersion: security.mesh.internal/v1beta1, kind: AuthorizationPolicy, metadata: {name: a}, ' +
      'spec: {selector: {matchLabels: {app: web}}}}',
  );
  const context = buildContext({ authorizationPolicies: [object] });
  const [web, other] = ['web', 'other'].map((app) =>
    plugin.planListeners(context, buildProxy({}, { labels: { app } })),
  );
  t.is(web?.key, other?.key);
  t.not(web?.inboundKey, other?.inboundKey);
  t.deepEqual(web?.httpFilters({ direction: 'outbound', serviceCluster: undefined }), []);
  t.deepEqual(other?.httpFilters({ direction: 'inbound', serviceCluster: undefined }), []);
});

test('a workload keeps few of the inbound listeners for its policies of former times', async (t) => {
  const generator = createListenerGenerator(ENCODER, SETTINGS, [createAuthorizationPlugin(ENCODER, SETTINGS)]);
  const port = buildPort({ number: 80, protocol: 'http' });
  const targets = [{ service: buildService({ ports: [port] }), port, targetPort: 8080 }];
  const { mesh } = buildContext({ targets });
  const listenerWith = (name: string): WeakRef<object> => {
    const object = readObject(
      `{apiVersion: security.mesh.internal/v1beta1, kind: AuthorizationPolicy, metadata: {name: ${name}}, spec: {}}`,
    );
    const context = { ...buildContext({ targets, authorizationPolicies: [object] }), mesh };
    const { resources } = generateAll(generator, context, buildProxy());
    return new WeakRef(resources.find((each) => each.name === 'virtualInbound') ?? {});
  };
  const listeners = Array.from({ length: 40 }, (_, number) => listenerWith(`policy-${number}`));
  t.true(listeners.every((each) => each.deref() !== undefined));
  await eventually('listeners of former policies are collected', () => {
    collectGarbage();
    return listeners.filter((each) => each.deref() !== undefined).length <= 3;
  });
});
