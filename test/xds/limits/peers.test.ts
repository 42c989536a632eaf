import test from 'ava';
import { createResourceSet, joinResourceSets } from '../../../src/envoy/resource-set.js';
import { createPeers, type PeerKey, type PeerStream } from '../../../src/xds/limits/peers.js';
import { LimitError } from '../../../src/xds/limits/xds-limits.js';
import { LIMITS } from '../session-rig.js';

const key = (name = '10.0.0.1', port = 1): PeerKey => ({ lane: 'plaintext', name, connection: `${name}:${port}` });

/** The stream holds one more object. */
function hold(stream: PeerStream, root: Parameters<PeerStream['replace']>[1]): void {
  stream.replace(undefined, root);
  stream.checkBytes();
}

test('an object that several streams of a peer hold counts once, until the last of them ends', (t) => {
  const peers = createPeers({ ...LIMITS, peerBytes: 100 });
  const shared = Buffer.alloc(80);
  const [first, second] = [peers.open(key()), peers.open(key())];
  hold(first, shared);
  hold(second, shared);
  hold(second, Buffer.alloc(10));
  t.is(peers.heldBytes, 90);
  first.replace(shared, undefined);
  first.close();
  t.is(peers.heldBytes, 90);
  second.replace(shared, undefined);
  t.is(peers.heldBytes, 10);
});

test('the error of a peer that holds too much names the limit and its setting', (t) => {
  const peers = createPeers({ ...LIMITS, peerBytes: 100 });
  const [first, second] = [peers.open(key()), peers.open(key('10.0.0.1', 2))];
  hold(first, Buffer.alloc(60));
  const error = t.throws(() => hold(second, Buffer.alloc(60)), { instanceOf: LimitError });
  t.is(error?.code, 'RESOURCE_EXHAUSTED');
  t.is(error?.limit, 'peerBytes');
  t.regex(error?.message ?? '', /NAV_XDS_MAX_PEER_BYTES/);
  t.notThrows(() => hold(peers.open(key('10.0.0.2')), Buffer.alloc(60)));
});

test('when all peers together hold too much, small peers are still served', (t) => {
  const peers = createPeers({ ...LIMITS, peerBytes: 1_600, totalBytes: 3_000 });
  for (const name of ['a', 'b']) hold(peers.open(key(name)), Buffer.alloc(1_500));
  t.notThrows(() => hold(peers.open(key('small')), Buffer.alloc(90)));
  const error = t.throws(() => hold(peers.open(key('large')), Buffer.alloc(110)), { instanceOf: LimitError });
  t.is(error?.limit, 'totalBytes');
});

test('parts that objects share count once', (t) => {
  const peers = createPeers(LIMITS);
  const encoded = { name: 'a', version: '1', entry: Buffer.alloc(50) };
  const part = createResourceSet([encoded]);
  const [first, second] = [
    joinResourceSets([part, createResourceSet([])]),
    joinResourceSets([createResourceSet([]), part]),
  ];
  const stream = peers.open(key());
  hold(stream, first);
  const alone = peers.heldBytes;
  hold(stream, second);
  const shared = peers.heldBytes - alone;
  t.true(alone > 50 && shared < 50 + alone / 2, 'the second set adds itself alone');
  stream.replace(first, undefined);
  t.is(peers.heldBytes, alone);
  stream.replace(second, undefined);
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
