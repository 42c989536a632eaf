import test from 'ava';
import { clustersAffectedBy, endpointsAffectedBy } from '../../src/generators/affected-by.js';
import type { ProxyType } from '../../src/model/proxy.js';
import type { PushRequest } from '../../src/model/push-request.js';
import type { Service } from '../../src/model/service.js';
import { pushRequest } from '../support/push-requests.js';
import { buildContext, buildService, MESH } from './context-builder.js';

const ENDPOINTS = { endpoints: new Set(['web.default.svc.cluster.local']) };
const changed = (...kinds: string[]) => ({ changed: new Set(kinds.map((kind) => `${kind}/default/a`)) });

const cases: readonly (readonly [
  string,
  Partial<PushRequest>,
  ProxyType,
  { clusters: boolean; endpoints: boolean },
])[] = [
  ['endpoints alone', { full: false, ...ENDPOINTS }, 'sidecar', { clusters: false, endpoints: true }],
  ['endpoints in a full push', { ...ENDPOINTS }, 'sidecar', { clusters: true, endpoints: true }],
  ['everything', { changed: 'everything' }, 'sidecar', { clusters: true, endpoints: true }],
  ['a Service', changed('Service'), 'sidecar', { clusters: true, endpoints: true }],
  ['a ServiceEntry', changed('ServiceEntry'), 'router', { clusters: true, endpoints: true }],
  ['a DestinationRule', changed('DestinationRule'), 'router', { clusters: true, endpoints: true }],
  ['a PeerAuthentication', changed('PeerAuthentication'), 'sidecar', { clusters: true, endpoints: true }],
  ['a kind that nobody has heard of', changed('Novelty'), 'sidecar', { clusters: true, endpoints: true }],
  ['a Sidecar', changed('Sidecar'), 'sidecar', { clusters: true, endpoints: true }],
  ['a Sidecar', changed('Sidecar'), 'router', { clusters: false, endpoints: false }],
  ['a VirtualService', changed('VirtualService'), 'sidecar', { clusters: false, endpoints: false }],
  ['a Gateway', changed('Gateway'), 'router', { clusters: true, endpoints: false }],
  ['a Gateway', changed('Gateway'), 'sidecar', { clusters: false, endpoints: false }],
  ['quota kinds', changed('QuotaSpec', 'QuotaSpecBinding'), 'sidecar', { clusters: false, endpoints: false }],
  ['a Pod without endpoints', changed('Pod'), 'sidecar', { clusters: false, endpoints: false }],
  [
    'a VirtualService and a Service',
    changed('VirtualService', 'Service'),
    'sidecar',
    { clusters: true, endpoints: true },
  ],
  [
    'a Pod and its endpoints',
    { full: false, ...changed('Pod'), ...ENDPOINTS },
    'sidecar',
    { clusters: false, endpoints: true },
  ],
];

for (const [what, request, proxyType, { clusters, endpoints }] of cases) {
  test(`${what}: a ${proxyType} gets ${clusters ? 'clusters' : 'no clusters'} and ${endpoints ? 'endpoints' : 'no endpoints'}`, (t) => {
    t.is(clustersAffectedBy(pushRequest(request), proxyType), clusters);
    t.is(endpointsAffectedBy(pushRequest(request), proxyType), endpoints);
  });
}

test('endpoints by themselves touch clusters exactly when the proxy resolves their names itself', (t) => {
  const context = buildContext({
    services: [buildService(), buildService({ hostname: 'api.example.com', resolution: 'dns' })],
  });
  const touched = (...hosts: string[]) =>
    clustersAffectedBy(pushRequest({ full: false, endpoints: new Set(hosts) }), 'sidecar', context);
  t.false(touched('web.default.svc.cluster.local', 'gone.default.svc.cluster.local'));
  t.true(touched('web.default.svc.cluster.local', 'api.example.com'));
});

test('endpoints in a full push have other identities: they touch clusters where mutual TLS names these', (t) => {
  const services = [buildService(), buildService({ hostname: 'api.example.com', meshExternal: true })];
  const touched = (host: string, enableAutoMtls: boolean) => {
    const context = buildContext({ services, mesh: { ...MESH, enableAutoMtls } });
    return clustersAffectedBy(pushRequest({ endpoints: new Set([host]) }), 'sidecar', context);
  };
  t.true(touched('web.default.svc.cluster.local', true));
  t.false(touched('web.default.svc.cluster.local', false));
  t.false(touched('api.example.com', true));
});

test('endpoints of a host that several namespaces claim touch clusters when one of the services is resolved', (t) => {
  const api = { hostname: 'api.example.com', registry: 'External' } as const;
  const touchedBeside = (shadowed: Partial<Service>) =>
    clustersAffectedBy(
      pushRequest({ full: false, endpoints: new Set([api.hostname]) }),
      'sidecar',
      buildContext({
        services: [buildService(api)],
        shadowed: [buildService({ ...api, namespace: 'team', ...shadowed })],
      }),
    );
  t.true(touchedBeside({ resolution: 'dns' }));
  t.false(touchedBeside({ resolution: 'endpoints' }));
});
