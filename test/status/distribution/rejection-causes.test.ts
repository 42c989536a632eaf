import test from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createRejectionReader } from '../../../src/status/distribution/rejection-book.js';
import { ingress, path, readObjects, rule, SERVICES } from '../../model/derived/ingress-objects.js';
import { contextOf } from '../../model/mesh-objects.js';
import { tenantMesh } from '../../model/policy/tenant-objects.js';

const { context } = tenantMesh([]);
const CHANGED = ['AuthorizationPolicy/shop/admins', 'EnvoyFilter/shop/greeting', 'Service/shop/cart'];
const causesOf = createRejectionReader({
  history: { changedBetween: () => new Set(CHANGED) },
  affects: (key) => key !== 'Service/shop/cart',
  configVersionOfNonce: (nonce) => nonce,
});

test('of the objects that may have caused a rejection, EnvoyFilters come first, and objects that affect another type are left out', (t) => {
  const rejected = {
    typeUrl: TypeUrl.listener,
    proxyType: 'sidecar',
    ackedConfigVersion: 'v1',
    rejection: { message: 'script load error', nonce: 'v2' },
  } as const;
  t.deepEqual(causesOf(rejected, context), ['EnvoyFilter/shop/greeting', 'AuthorizationPolicy/shop/admins']);
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
  const rejected = {
    typeUrl: TypeUrl.route,
    proxyType: 'router',
    ackedConfigVersion: 'v1',
    rejection: { message: 'duplicate virtual host', nonce: 'v2' },
  } as const;
  t.deepEqual(read(rejected, made).toSorted(), ['Gateway/shop/deleted', 'Ingress/shop/one', 'Ingress/shop/two']);
});
