import test from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createRejectionReader } from '../../../src/status/distribution/rejection-book.js';
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
