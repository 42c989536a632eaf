import test from 'ava';
import { createPeers, type PeerKey } from '../../../src/xds/limits/peers.js';
import { LimitError } from '../../../src/xds/limits/xds-limits.js';
import { LIMITS } from '../session-rig.js';

const key = (name = '10.0.0.1', port = 1): PeerKey => ({ lane: 'plaintext', name, connection: `${name}:${port}` });

test('an object that several streams of a peer hold counts once, until the last of them ends', (t) => {
  const peers = createPeers({ ...LIMITS, peerBytes: 100 });
  const shared = { object: {}, bytes: 80 };
  const [first, second] = [peers.open(key()), peers.open(key())];
  first.hold([shared]);
  second.hold([shared, { object: {}, bytes: 10 }]);
  t.is(peers.heldBytes, 90);
  first.close();
  t.is(peers.heldBytes, 90);
  second.close();
  t.is(peers.heldBytes, 0);
});

test('the error of a peer that holds too much names the limit and its setting', (t) => {
  const peers = createPeers({ ...LIMITS, peerBytes: 100 });
  const [first, second] = [peers.open(key()), peers.open(key('10.0.0.1', 2))];
  first.hold([{ object: {}, bytes: 60 }]);
  const error = t.throws(() => second.hold([{ object: {}, bytes: 60 }]), { instanceOf: LimitError });
  t.is(error?.code, 'RESOURCE_EXHAUSTED');
  t.is(error?.limit, 'peerBytes');
  t.regex(error?.message ?? '', /NAV_XDS_MAX_PEER_BYTES/);
  t.notThrows(() => peers.open(key('10.0.0.2')).hold([{ object: {}, bytes: 60 }]));
});

test('when all peers together hold too much, small peers are still served', (t) => {
  const peers = createPeers({ ...LIMITS, peerBytes: 1_600, totalBytes: 3_000 });
  for (const name of ['a', 'b']) peers.open(key(name)).hold([{ object: {}, bytes: 1_500 }]);
  t.notThrows(() => peers.open(key('small')).hold([{ object: {}, bytes: 90 }]));
  const error = t.throws(() => peers.open(key('large')).hold([{ object: {}, bytes: 110 }]), { instanceOf: LimitError });
  t.is(error?.limit, 'totalBytes');
});

test('parts that objects share count once', (t) => {
  const peers = createPeers(LIMITS);
  const part = { object: {}, bytes: 50 };
  const stream = peers.open(key());
  stream.hold([
    { object: {}, bytes: 1, parts: () => [part] },
    { object: {}, bytes: 1, parts: () => [part] },
  ]);
  t.is(peers.heldBytes, 52);
  stream.hold([]);
  t.is(peers.heldBytes, 0);
});

test('streams are counted for each connection and each peer, and identities apart from addresses', (t) => {
  const peers = createPeers({ ...LIMITS, connectionStreams: 2, peerStreams: 3 });
  const limitOf = (open: () => unknown) => t.throws(open, { instanceOf: LimitError })?.limit;
  const first = peers.open(key());
  peers.open(key());
  t.is(
    limitOf(() => peers.open(key())),
    'connectionStreams',
  );
  peers.open(key('10.0.0.1', 2));
  t.is(
    limitOf(() => peers.open(key('10.0.0.1', 3))),
    'peerStreams',
  );
  t.notThrows(() => peers.open({ ...key('10.0.0.1', 3), lane: 'authenticated' }));
  first.close();
  first.close();
  t.notThrows(() => peers.open(key('10.0.0.1', 4)));
  t.is(
    limitOf(() => peers.open(key('10.0.0.1', 5))),
    'peerStreams',
  );
});

test('a peer with too many unread streams meets the limit with the next one', (t) => {
  const peers = createPeers({ ...LIMITS, unreadStreams: 2 });
  const streams = [1, 2, 3].map((port) => peers.open(key('10.0.0.1', port)));
  t.deepEqual(
    streams.map((stream) => stream.unread()),
    [true, true, false],
  );
  streams[0]?.read();
  streams[2]?.close();
  t.true(peers.open(key('10.0.0.1', 4)).unread());
});

test('streams of unauthenticated callers count as streams of their connection', (t) => {
  const peers = createPeers({ ...LIMITS, connectionStreams: 2 });
  const end = peers.wait('10.0.0.1:1');
  const stream = peers.open(key());
  const error = t.throws(() => peers.wait('10.0.0.1:1'), { instanceOf: LimitError });
  t.is(error?.limit, 'connectionStreams');
  t.notThrows(() => peers.wait('10.0.0.1:2'));
  end();
  end();
  const endSecond = peers.wait('10.0.0.1:1');
  t.throws(() => peers.wait('10.0.0.1:1'), { instanceOf: LimitError });
  endSecond();
  stream.close();
  t.notThrows(() => {
    peers.open(key());
    peers.open(key());
  });
});
