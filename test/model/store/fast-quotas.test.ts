import test from 'ava';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { policyObject } from '../../status/analysis/support.js';
import { batch, gone, storeWith } from '../mesh-objects.js';

const PLAN = policyObject('Plan shop/gold {services: [{name: web}], limits: [{name: all, requests: 1, per: day}]}');

function storeOf(enforcement: 'exact' | 'fast'): MeshStore {
  const store = storeWith();
  store.apply(
    batch(policyObject(`QuotaSpec shop/web {enforcement: ${enforcement}, rules: [{quotas: [{quota: all}]}]}`)),
  );
  return store;
}

test('a plan can end what proxies enforce by themselves, so their filters follow it where a QuotaSpec is fast', (t) => {
  const fast = storeOf('fast');
  t.is(fast.apply(batch(PLAN)).push?.fastQuotas, true);
  t.is(fast.apply(batch(gone(PLAN))).push?.fastQuotas, true);
  t.is(storeOf('exact').apply(batch(PLAN)).push?.fastQuotas, undefined);
});
