import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { pathsOf } from '../../../src/kubernetes/watch/resource.js';
import { type WatchedResourcesOptions, watchedResources } from '../../../src/sources/kubernetes/watched-resources.js';

const everything: WatchedResourcesOptions = {
  kinds: createKindRegistry('acme.io'),
  namespaces: [],
  useEndpointSlice: false,
  readsCoreKinds: true,
  readsMeshKinds: true,
};
const paths = (changes: Partial<WatchedResourcesOptions>): readonly string[] =>
  watchedResources({ ...everything, ...changes })
    .map((resource) => pathsOf(resource).join(' or '))
    .sort();

const CORE = ['/api/v1/endpoints', '/api/v1/namespaces', '/api/v1/nodes', '/api/v1/pods', '/api/v1/services'];
const MESH = [
  '/apis/config.acme.io/v1alpha2/adapters',
  '/apis/config.acme.io/v1alpha2/attributemanifests',
  '/apis/config.acme.io/v1alpha2/consumers',
  '/apis/config.acme.io/v1alpha2/handlers',
  '/apis/config.acme.io/v1alpha2/httpapispecbindings',
  '/apis/config.acme.io/v1alpha2/httpapispecs',
  '/apis/config.acme.io/v1alpha2/instances',
  '/apis/config.acme.io/v1alpha2/plans',
  '/apis/config.acme.io/v1alpha2/quotaspecbindings',
  '/apis/config.acme.io/v1alpha2/quotaspecs',
  '/apis/config.acme.io/v1alpha2/rules',
  '/apis/config.acme.io/v1alpha2/templates',
  '/apis/networking.acme.io/v1beta1/destinationrules or /apis/networking.acme.io/v1alpha3/destinationrules',
  '/apis/networking.acme.io/v1beta1/envoyfilters or /apis/networking.acme.io/v1alpha3/envoyfilters',
  '/apis/networking.acme.io/v1beta1/gateways or /apis/networking.acme.io/v1alpha3/gateways',
  '/apis/networking.acme.io/v1beta1/serviceentries or /apis/networking.acme.io/v1alpha3/serviceentries',
  '/apis/networking.acme.io/v1beta1/sidecars or /apis/networking.acme.io/v1alpha3/sidecars',
  '/apis/networking.acme.io/v1beta1/virtualservices or /apis/networking.acme.io/v1alpha3/virtualservices',
  '/apis/networking.acme.io/v1beta1/workloadentries or /apis/networking.acme.io/v1alpha3/workloadentries',
  '/apis/networking.k8s.io/v1/ingressclasses',
  '/apis/networking.k8s.io/v1/ingresses',
  '/apis/security.acme.io/v1beta1/authorizationpolicies',
  '/apis/security.acme.io/v1beta1/peerauthentications',
  '/apis/security.acme.io/v1beta1/requestauthentications',
];

test('every kind is watched everywhere, custom ones in the groups of the mesh domain', (t) => {
  t.deepEqual(paths({}), [...CORE, ...MESH]);
});

test('Ingresses and their classes are not watched where the mesh config turns them off', (t) => {
  t.deepEqual(
    paths({ readsIngresses: () => false }),
    [...CORE, ...MESH].filter((path) => !path.includes('networking.k8s.io')),
  );
});

test('EndpointSlices take the place of Endpoints', (t) => {
  const chosen = paths({ useEndpointSlice: true });
  t.true(chosen.includes('/apis/discovery.k8s.io/v1/endpointslices'));
  t.false(chosen.includes('/api/v1/endpoints'));
});

test('core kinds and kinds of the mesh can be left out', (t) => {
  t.deepEqual(paths({ readsMeshKinds: false }), CORE);
  t.deepEqual(paths({ readsCoreKinds: false }), MESH);
});

test('with namespaces, kinds that have one are watched once in each, the others once', (t) => {
  t.deepEqual(paths({ namespaces: ['shop', 'mesh-system', 'shop'], readsMeshKinds: false }), [
    '/api/v1/namespaces',
    ...['endpoints', 'pods', 'services'].map((plural) => `/api/v1/namespaces/mesh-system/${plural}`),
    ...['endpoints', 'pods', 'services'].map((plural) => `/api/v1/namespaces/shop/${plural}`),
    '/api/v1/nodes',
  ]);
});
