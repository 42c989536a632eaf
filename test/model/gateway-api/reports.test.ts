import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { gateway, gatewayClass, grant, http, indexOf, namespace, route, service, textsOf } from './api-objects.js';

const PUBLIC = gateway('edge/public', [http()]);
const to = (name: string, fields: object = {}) => ({ backendRefs: [{ name, port: 80, ...fields }] });
const rule = (fields: object) => ({ rules: [{ ...to('web'), ...fields }] });
const filter = (type: string, field: string, value: object) => rule({ filters: [{ type, [field]: value }] });

interface RouteCase {
  readonly route: MeshObject;
  readonly beside?: readonly MeshObject[];
  /** Conditions of the only parent; none for a parent of another controller. */
  readonly expected: readonly string[];
  /** In the message of a condition. */
  readonly message?: RegExp;
}

const GOOD = ['Accepted=true Accepted', 'ResolvedRefs=true ResolvedRefs'];
const refused = (reason: string) => [`Accepted=false ${reason}`, 'ResolvedRefs=true ResolvedRefs'];
const unresolved = (reason: string) => ['Accepted=true Accepted', `ResolvedRefs=false ${reason}`];

const ROUTES: Readonly<Record<string, RouteCase>> = {
  'with a backend': { route: route('shop/r', rule({})), expected: GOOD },
  'of another controller': {
    route: route('shop/r', { parentRefs: [{ name: 'other', namespace: 'edge' }] }),
    expected: [],
  },
  'with a listener that is not there': {
    route: route('shop/r', { ...rule({}), parentRefs: [{ name: 'public', namespace: 'edge', sectionName: 'no' }] }),
    expected: refused('NoMatchingParent'),
  },
  'with a port that is not there': {
    route: route('shop/r', { ...rule({}), parentRefs: [{ name: 'public', namespace: 'edge', port: 81 }] }),
    expected: refused('NoMatchingParent'),
  },
  'of a namespace that is not allowed': {
    route: route('shop/r', rule({})),
    beside: [gateway('edge/public', [http({ allowedRoutes: {} })])],
    expected: refused('NotAllowedByListeners'),
  },
  'of a namespace with the labels of a selector': {
    route: route('shop/r', rule({})),
    beside: [
      namespace('shop', { tier: 'front' }),
      gateway('edge/public', [
        http({ allowedRoutes: { namespaces: { from: 'Selector', selector: { matchLabels: { tier: 'front' } } } } }),
      ]),
    ],
    expected: GOOD,
  },
  'of a namespace without the labels of a selector': {
    route: route('shop/r', rule({})),
    beside: [
      namespace('shop', {}),
      gateway('edge/public', [
        http({ allowedRoutes: { namespaces: { from: 'Selector', selector: { matchLabels: { tier: 'front' } } } } }),
      ]),
    ],
    expected: refused('NotAllowedByListeners'),
  },
  'without a host in common': {
    route: route('shop/r', { ...rule({}), hostnames: ['a.example.org'] }),
    beside: [gateway('edge/public', [http({ hostname: '*.example.com' })])],
    expected: refused('NoMatchingListenerHostname'),
  },
  'to a Service that does not exist': {
    route: route('shop/r', { rules: [to('no')] }),
    expected: unresolved('BackendNotFound'),
  },
  'to a port that does not exist': {
    route: route('shop/r', { rules: [to('web', { port: 81 })] }),
    expected: unresolved('BackendNotFound'),
  },
  'to another kind': {
    route: route('shop/r', { rules: [to('web', { kind: 'Bucket', group: 'example.com' })] }),
    expected: unresolved('InvalidKind'),
  },
  'to another namespace without a grant': {
    route: route('shop/r', { rules: [to('ledger', { namespace: 'bank' })] }),
    beside: [
      service('bank/ledger'),
      grant('bank/other', { kind: 'HTTPRoute', namespace: 'shop' }, { kind: 'Service', name: 'x' }),
    ],
    expected: unresolved('RefNotPermitted'),
  },
  'to another namespace with a grant': {
    route: route('shop/r', { rules: [to('ledger', { namespace: 'bank' })] }),
    beside: [service('bank/ledger'), grant('bank/shop', { kind: 'HTTPRoute', namespace: 'shop' }, { kind: 'Service' })],
    expected: GOOD,
  },
  'that mirrors to nothing': {
    route: route('shop/r', filter('RequestMirror', 'requestMirror', { backendRef: { name: 'no', port: 80 } })),
    expected: unresolved('BackendNotFound'),
  },
  'with an expression that is too large': {
    route: route('shop/r', rule({ matches: [{ path: { type: 'RegularExpression', value: '/(a{1000}){1000}' } }] })),
    expected: refused('UnsupportedValue'),
    message: /spec\.rules\[0\]\.matches\[0\]\.path\.value/,
  },
  'with an extension': {
    route: route('shop/r', filter('ExtensionRef', 'extensionRef', { group: 'a', kind: 'B', name: 'c' })),
    expected: refused('UnsupportedValue'),
    message: /filters\[0\]\.type is not a filter that this mesh supports/,
  },
  'that changes the host as a header': {
    route: route(
      'shop/r',
      filter('RequestHeaderModifier', 'requestHeaderModifier', { set: [{ name: 'Host', value: 'a' }] }),
    ),
    expected: refused('UnsupportedValue'),
    message: /use URLRewrite with hostname/,
  },
  'that breaks a line in a header': {
    route: route(
      'shop/r',
      filter('ResponseHeaderModifier', 'responseHeaderModifier', { add: [{ name: 'a', value: 'b\r\nc' }] }),
    ),
    expected: refused('UnsupportedValue'),
    message: /control characters/,
  },
  'that replaces a prefix of an exact path': {
    route: route('shop/r', {
      rules: [
        {
          ...to('web'),
          matches: [{ path: { type: 'Exact', value: '/a' } }],
          filters: [
            { type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/b' } } },
          ],
        },
      ],
    }),
    expected: refused('UnsupportedValue'),
    message: /use PathPrefix in every match/,
  },
  'with a rewrite at a backend': {
    route: route('shop/r', {
      rules: [to('web', { filters: [{ type: 'URLRewrite', urlRewrite: { hostname: 'a.example.com' } }] })],
    }),
    expected: refused('UnsupportedValue'),
    message: /for a backend/,
  },
  'with sessions': {
    route: route('shop/r', rule({ sessionPersistence: { type: 'Cookie' } })),
    expected: refused('UnsupportedValue'),
    message: /sessionPersistence has no effect/,
  },
  'with more matches than it may have': {
    route: route('shop/r', { rules: Array.from({ length: 3 }, () => ({ ...to('web'), matches: Array(64).fill({}) })) }),
    expected: refused('UnsupportedValue'),
    message: /more than 128 matches/,
  },
};

for (const [title, { route: judged, beside = [], expected, message }] of Object.entries(ROUTES)) {
  test(`a route ${title}: ${expected.join(', ') || 'no parent'}`, (t) => {
    const [report] = indexOf(PUBLIC, ...beside, judged).report.routes;
    t.is(report?.generation, 3);
    const conditions = report?.parents.flatMap((parent) => parent.conditions) ?? [];
    t.deepEqual(textsOf(conditions), expected);
    if (message !== undefined)
      t.true(
        conditions.some(({ message: text }) => message.test(text)),
        JSON.stringify(conditions),
      );
  });
}

const secure = (fields: object = {}) => ({
  ...{ name: 'tls', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'cert' }] } },
  ...fields,
});
const listener = (accepted: string, conflicted: string, resolved: string, programmed: string) => [
  `Accepted=${accepted}`,
  `Conflicted=${conflicted}`,
  `ResolvedRefs=${resolved}`,
  `Programmed=${programmed}`,
];
const SERVED = listener('true Accepted', 'false NoConflicts', 'true ResolvedRefs', 'true Programmed');
const invalid = (accepted: string, conflicted = 'false NoConflicts', resolved = 'true ResolvedRefs') =>
  listener(accepted, conflicted, resolved, 'false Invalid');

const LISTENERS: Readonly<Record<string, readonly [object, readonly string[], (readonly MeshObject[])?]>> = {
  'of HTTP': [http(), SERVED],
  'of HTTPS': [secure(), SERVED],
  'of another protocol': [http({ protocol: 'TCP' }), invalid('false UnsupportedProtocol')],
  'of HTTPS that passes encrypted bytes on': [
    secure({ tls: { mode: 'Passthrough', certificateRefs: [{ name: 'c' }] } }),
    invalid('false UnsupportedValue'),
  ],
  'of HTTPS without a certificate': [
    secure({ tls: {} }),
    invalid('true Accepted', undefined, 'false InvalidCertificateRef'),
  ],
  'with a certificate of another kind': [
    secure({ tls: { certificateRefs: [{ kind: 'ConfigMap', name: 'c' }] } }),
    invalid('true Accepted', undefined, 'false InvalidCertificateRef'),
  ],
  'with a certificate of another namespace': [
    secure({ tls: { certificateRefs: [{ namespace: 'bank', name: 'c' }] } }),
    invalid('true Accepted', undefined, 'false RefNotPermitted'),
  ],
  'with a granted certificate of another namespace': [
    secure({ tls: { certificateRefs: [{ namespace: 'bank', name: 'c' }] } }),
    SERVED,
    [grant('bank/edge', { kind: 'Gateway', namespace: 'edge' }, { kind: 'Secret', name: 'c' })],
  ],
  'for another kind of route': [
    http({ allowedRoutes: { kinds: [{ kind: 'TCPRoute' }] } }),
    invalid('true Accepted', undefined, 'false InvalidRouteKinds'),
  ],
};

for (const [title, [spec, expected, beside = []]] of Object.entries(LISTENERS)) {
  test(`a listener ${title}: ${expected.join(', ')}`, (t) => {
    const [report] = indexOf(gateway('edge/public', [spec]), ...beside).report.gateways;
    t.deepEqual(textsOf(report?.listeners[0]?.conditions), expected);
  });
}

test('a listener of an unknown protocol has no supported kinds', (t) => {
  const [report] = indexOf(gateway('edge/public', [http(), http({ name: 'bytes', port: 90, protocol: 'TCP' })])).report
    .gateways;
  t.deepEqual(
    report?.listeners.map(({ supportedKinds }) => supportedKinds.map(({ kind }) => kind)),
    [['HTTPRoute'], []],
  );
});

test('neither listener of a conflict is served, and listeners beside it are', (t) => {
  const listeners = [
    http({ name: 'a', hostname: 'a.example.com' }),
    http({ name: 'b', hostname: 'A.example.com' }),
    http({ name: 'c', port: 81 }),
    secure({ name: 'd', port: 81 }),
    http({ name: 'e', port: 82 }),
  ];
  const { report, gateways } = indexOf(gateway('edge/public', listeners));
  const conflicts = report.gateways[0]?.listeners.map(({ conditions }) => textsOf(conditions)[1]);
  t.deepEqual(conflicts, [
    'Conflicted=true HostnameConflict',
    'Conflicted=true HostnameConflict',
    'Conflicted=true ProtocolConflict',
    'Conflicted=true ProtocolConflict',
    'Conflicted=false NoConflicts',
  ]);
  t.deepEqual(textsOf(report.gateways[0]?.conditions), [
    'Accepted=true ListenersNotValid',
    'Programmed=true Programmed',
  ]);
  t.deepEqual(
    gateways[0]?.servers.map(({ name }) => name),
    ['e'],
  );
});

const hostname = (value: string) => ({ addresses: [{ type: 'Hostname', value }] });
const PLACES: Readonly<Record<string, readonly [object, string, (readonly MeshObject[])?]>> = {
  'without addresses, at the default Service': [{}, 'true Programmed'],
  'at a Service': [hostname('own.shop.svc.cluster.local'), 'true Programmed', [service('shop/own')]],
  'at a Service that does not exist': [hostname('no.shop.svc'), 'false AddressNotUsable'],
  'at a host that is no Service': [hostname('www.example.com'), 'false AddressNotUsable'],
  'at a Service that selects no pods': [
    hostname('own.shop.svc'),
    'false AddressNotUsable',
    [service('shop/own', { selector: {} })],
  ],
  'at an address of the default Service': [{ addresses: [{ value: '10.96.0.1' }] }, 'true Programmed'],
  'at another address': [{ addresses: [{ value: '192.0.2.1' }] }, 'false AddressNotUsable'],
};

for (const [title, [spec, expected, beside = []]] of Object.entries(PLACES)) {
  test(`a Gateway ${title}: Programmed ${expected}`, (t) => {
    const { report, gateways } = indexOf(gateway('edge/public', [http()], spec), ...beside);
    const conditions = textsOf(report.gateways[0]?.conditions);
    t.is(conditions[1], `Programmed=${expected}`);
    t.is(gateways.length, expected.startsWith('true') ? 1 : 0);
  });
}

test('a Gateway has the addresses outside of the cluster, or else those in it', (t) => {
  const outside = { status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }, { hostname: 'lb.example.com' }] } } };
  const own = { ...service('shop/own'), body: { ...(service('shop/own').body as object), ...outside } };
  const addressesOf = (value: string) =>
    indexOf(gateway('edge/public', [http()], hostname(value)), own).report.gateways[0]?.addresses;
  t.deepEqual(addressesOf('own.shop.svc'), [
    { type: 'IPAddress', value: '198.51.100.1' },
    { type: 'Hostname', value: 'lb.example.com' },
  ]);
  t.deepEqual(addressesOf('ingress.mesh-system.svc'), [{ type: 'IPAddress', value: '10.96.0.1' }]);
});

test('fields of a Gateway without effect are named, and a class with parameters is not accepted', (t) => {
  const spec = { infrastructure: { labels: { a: 'b' } }, tls: { frontend: {} } };
  const [accepted] = indexOf(gateway('edge/public', [http()], spec)).report.gateways[0]?.conditions ?? [];
  t.is(accepted?.message, 'these fields have no effect in this mesh: spec.infrastructure, spec.tls');
  const other = gatewayClass('navigator', { parametersRef: { group: 'a', kind: 'B', name: 'c' } });
  const { report } = indexOf(other, PUBLIC);
  t.deepEqual(textsOf(report.classes[0]?.conditions), ['Accepted=false InvalidParameters']);
  t.deepEqual(report.gateways, []);
});

test('conditions that are not as wanted are problems for the analysis, without repetitions', (t) => {
  const listeners = [http(), http({ name: 'bytes', port: 90, protocol: 'TCP' })];
  const { problems } = indexOf(gateway('edge/public', listeners), route('shop/r', { rules: [to('no')] }));
  t.deepEqual(
    problems.map(({ type, object, field, text }) => `${type} ${object} ${field}: ${text}`),
    [
      'unsupported Gateway.gateway.networking.k8s.io/edge/public spec.listeners[1]: protocol TCP is not supported; use HTTP or HTTPS',
      'reference HTTPRoute/shop/r spec.parentRefs[0]: the Service shop/no does not exist',
    ],
  );
});

test('a listener counts each route once, also those that it does not reach by hostname', (t) => {
  const parents = [
    { name: 'public', namespace: 'edge' },
    { name: 'public', namespace: 'edge', sectionName: 'http' },
  ];
  const { report } = indexOf(PUBLIC, route('shop/a', { ...rule({}), parentRefs: parents }), route('shop/b', rule({})));
  t.is(report.gateways[0]?.listeners[0]?.attachedRoutes, 2);
});
