import test from 'ava';
import { modeOfPort } from '../../../src/model/security/mutual-tls.js';
import { batch, storeWith } from '../mesh-objects.js';
import { peerAuthentication } from '../security/peer-authentication.js';

for (const [ignored, mode] of [
  [false, 'STRICT'],
  [true, 'PERMISSIVE'],
] as const) {
  test(`PeerAuthentications that are ${ignored ? 'ignored, for want of authn in --plugins,' : 'read'} mean ${mode}`, (t) => {
    const store = storeWith({ ignoresAuthentications: ignored });
    store.apply(batch(peerAuthentication('shop/all', { mtls: { mode: 'STRICT' } })));
    const { peerAuthentications, objects } = store.state();
    t.is(modeOfPort(peerAuthentications.ofNamespace('shop').ofWorkload({ app: 'web' }), 8080), mode);
    t.true(objects.get('PeerAuthentication')?.has('PeerAuthentication/shop/all'), 'status still speaks of it');
  });
}
