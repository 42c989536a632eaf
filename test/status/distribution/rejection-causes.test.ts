import test from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createRejectionReader } from '../../../src/status/distribution/rejection-book.js';
import { readObjects } from '../../config/support/read-yaml.js';
import { ingress, path, rule, SERVICES } from '../../model/derived/ingress-objects.js';
import { contextOf } from '../../model/mesh-objects.js';
import { tenantMesh } from '../../model/policy/tenant-objects.js';

const { context } = tenantMesh([]);
const CHANGED = ['AuthorizationPolicy/shop/admins', 'EnvoyFilter/shop/greeting', 'Service/shop/cart'];
const causesOf = createRejectionReader({
  history: { changedBetween: () => new Set(CHANGED) },
  affects: (key) => key !== 'Service/shop/cart',
  configVersionOfNonce: (nonce) => nonce,
});

const rejected = (typeUrl: string, proxyType: 'sidecar' | 'router', message: string) => ({
  ...{ typeUrl, proxyType, ackedConfigVersion: 'v1', rejection: { message, nonce: 'v2' } },
});

test('of the objects that may have caused a rejection, EnvoyFilters come first, and objects that affect another type are left out', (t) => {
  const causes = causesOf(rejected(TypeUrl.listener, 'sidecar', 'script load error'), context);
  t.deepEqual(causes, ['EnvoyFilter/shop/greeting', 'AuthorizationPolicy/shop/admins']);
});

test('a rejection names the Ingresses from which the changed Gateways and VirtualServices are made, each once', (t) => {
  const spec = (text: string) => ({ rules: [rule('a.example.com', path(text))] });
  const text = ingress({ name: 'one', spec: spec('/one') }) + ingress({ name: 'two', spec: spec('/two') });
  const made = contextOf(readObjects(SERVICES + text));
  const changed = ['Gateway', 'VirtualService'].flatMap((kind) => [...(made.objects.get(kind)?.keys() ?? [])]);
  t.is(changed.length, 2);
  const read = createRejectionReader({
    history: { changedBetween: () => new Set([...changed, 'Ingress/shop/two', 'Gateway/shop/deleted']) },
    affects: () => true,
    configVersionOfNonce: (nonce) => nonce,
  });
  const causes = read(rejected(TypeUrl.route, 'router', 'duplicate virtual host'), made);
  t.deepEqual(causes.toSorted(), ['Gateway/shop/deleted', 'Ingress/shop/one', 'Ingress/shop/two']);
});
