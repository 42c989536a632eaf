import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import type { ApiAnswer } from '../../src/kubernetes/client/api-sender.js';
import { unsignedToken } from '../ca/authentication/credentials.js';
import { eventually } from '../support/eventually.js';
import { createSecuredRig } from './secured-rig.js';

const NODE = 'sidecar~10.0.0.1~cart-1.shop~shop.svc.cluster.local';
const CLUSTERS = { typeUrl: TypeUrl.cluster } as const;
const HOUR_MS = 3_600_000;
const bearer = { authorization: `Bearer ${unsignedToken({ sub: 'cart', exp: 4_000_000_000 })}` } as const;

const answer = (status: object): ApiAnswer => ({ status: 201, body: { status }, retryAfterMs: undefined });
const accountOf = (name: string): ApiAnswer =>
  answer({
    authenticated: true,
    user: { username: `system:serviceaccount:shop:${name}`, groups: ['system:serviceaccounts'] },
    audiences: ['mesh-ca'],
  });
const DELETED = answer({ authenticated: false, error: 'the service account has been deleted' });

for (const [what, later] of [
  ['is not accepted any more', () => DELETED],
  ['is that of another account now', () => accountOf('checkout')],
] as const) {
  test(`a stream ends within an hour when the token that it began with ${what}`, async (t) => {
    let answers = (): ApiAnswer => accountOf('cart');
    const rig = await createSecuredRig(t, { review: async () => answers() });
    const client = rig.connect({ channel: rig.channel(), metadata: bearer });
    client.send({ node: NODE, ...CLUSTERS });
    await client.response(0);
    answers = later;
    rig.clock.advance(HOUR_MS);
    t.is((await client.ended()).details.split(':')[0], 'authentication failure');
    t.deepEqual(rig.refusedStreams, ['authentication']);
  });
}

test('a caller whose token is revoked learns nothing more about the state of proxies', async (t) => {
  let answers = (): ApiAnswer => accountOf('cart');
  const rig = await createSecuredRig(t, { review: async () => answers() });
  const path = '/envoy.service.status.v3.ClientStatusDiscoveryService/StreamClientStatus';
  const client = rig.connect({ channel: rig.channel(), metadata: bearer }, path);
  client.sendBytes(Buffer.alloc(0));
  await eventually('the status', () => client.messages.length === 1);
  answers = () => DELETED;
  rig.clock.advance(HOUR_MS);
  t.is((await client.ended()).details.split(':')[0], 'authentication failure');
});

test('a stream stays open while its caller has the same identity, and while the check is unavailable', async (t) => {
  let reviews = 0;
  let isDown = false;
  const rig = await createSecuredRig(t, {
    review: async () => {
      reviews++;
      if (isDown) throw new Error('connection refused');
      return accountOf('cart');
    },
  });
  const client = rig.connect({ channel: rig.channel(), metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  await client.response(0);
  for (const down of [false, true, false]) {
    isDown = down;
    const before = reviews;
    rig.clock.advance(HOUR_MS);
    await eventually('the caller is asked about again', () => reviews === before + 1);
  }
  t.deepEqual(rig.refusedStreams, []);
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a'] });
  await client.response(1);
});
