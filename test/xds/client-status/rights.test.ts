import test from 'ava';
import { rightsOfAddress, rightsOfIdentities, type SeenProxy } from '../../../src/xds/client-status/rights.js';
import { proxyOf } from '../session-rig.js';

const WEB = { trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'web' };

/** A proxy of the namespace; with a service account if it proved its identity. */
function proxy(configNamespace: string, serviceAccount?: string): SeenProxy {
  const identity = serviceAccount === undefined ? undefined : { ...WEB, namespace: configNamespace, serviceAccount };
  return { proxy: { ...proxyOf('sidecar~10.0.0.1~a.b~c'), configNamespace }, identity };
}

test('a workload sees the proxies of its namespace, and contents of its own service account', (t) => {
  const { sees, seesContents } = rightsOfIdentities([WEB], {});
  t.true(sees(proxy('shop', 'web')));
  t.true(seesContents(proxy('shop', 'web')));
  t.true(sees(proxy('shop', 'cart')));
  t.false(seesContents(proxy('shop', 'cart')));
  t.true(sees(proxy('shop')));
  t.false(seesContents(proxy('shop')));
  t.false(sees(proxy('bank', 'web')));
  t.false(seesContents(proxy('bank', 'web')));
});

test('a workload that may read all policies sees all proxies, and no contents of others', (t) => {
  const { sees, seesContents } = rightsOfIdentities([WEB], {
    seesAllPolicies: ({ namespace }) => namespace === 'shop',
  });
  t.true(sees(proxy('bank', 'web')));
  t.false(seesContents(proxy('bank', 'web')));
});

for (const peer of ['127.0.0.1:4000', '[::1]:4000', '::1:4000']) {
  test(`a caller at ${peer} sees everything`, (t) => {
    const { sees, seesContents } = rightsOfAddress(peer, false);
    t.true(sees(proxy('shop')) && seesContents(proxy('shop')));
    t.throws(() => rightsOfAddress(peer, true), { message: /same machine/ });
  });
}

test('a caller on another machine without an identity is refused', (t) => {
  t.throws(() => rightsOfAddress('10.0.0.9:4000', false), { name: 'StreamError', message: /secured port/ });
});
