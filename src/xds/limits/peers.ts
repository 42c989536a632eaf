import { addCount } from '../../base/key-counts.js';
import { formatSpiffeId, type WorkloadIdentity } from '../../model/spiffe-id.js';
import type { PushLane } from '../../push/push-slots.js';
import { HeldByAll, HeldBytes } from './held-bytes.js';
import { createHeldDescriptions, type HeldRoot } from './held-roots.js';
import { LimitError, type XdsLimits } from './xds-limits.js';

/** The peer of a stream. */
export interface PeerKey {
  readonly lane: PushLane;
  /** Authenticated: the SPIFFE id. Plaintext: the address without its port. */
  readonly name: string;
  /** `host:port` of the connection. */
  readonly connection: string;
}

/** The account of one stream at its peer. */
export interface PeerStream {
  readonly key: PeerKey;
  /**
   * The stream holds another object instead of one that it held, or holds one more or one less. An object that it holds
   * twice has to be given up twice. Streams call this where they set a field: to look for changes of a hundred fields
   * after each response would cost more than to send it. Does nothing once the stream is closed.
   *
   * @returns `after`
   */
  replace<After extends HeldRoot | undefined>(before: HeldRoot | undefined, after: After): After;
  /** @throws LimitError if the peer, or all peers, hold too many bytes */
  checkBytes(): void;
  /**
   * The stream has not read a response for 5 seconds.
   *
   * @returns false when the peer has too many such streams
   */
  unread(): boolean;
  /** The stream has read the response. */
  read(): void;
  /** The stream has given up all its objects. */
  close(): void;
}

/** The accounts of all peers of the discovery server, on all listeners. */
export interface Peers {
  /**
   * Counts a stream of the connection before its caller is authenticated.
   *
   * @returns a function that ends the wait; it may be called several times
   * @throws LimitError when the connection has too many streams
   */
  wait(connection: string): () => void;
  /** @throws LimitError when the connection or the peer has too many streams */
  open(key: PeerKey): PeerStream;
  /** Bytes that all streams hold. */
  readonly heldBytes: number;
}

interface Peer {
  readonly held: HeldBytes;
  streams: number;
  unread: number;
}

/** Above the total limit, a peer with less than this part of its own limit is still served. */
const SMALL_PART = 16;

export function createPeers(limits: XdsLimits): Peers {
  const peers = new Map<string, Peer>();
  const connections = new Map<string, number>();
  const all = new HeldByAll();
  const describe = createHeldDescriptions();

  const peerOf = (id: string): Peer => {
    let peer = peers.get(id);
    if (peer === undefined) {
      peer = { held: new HeldBytes(all), streams: 0, unread: 0 };
      peers.set(id, peer);
    }
    return peer;
  };

  const checkBytes = ({ held }: Peer): void => {
    if (held.total > limits.peerBytes) {
      const what = `the peer's streams hold ${held.total} bytes in subscriptions and responses, more than ${limits.peerBytes}`;
      throw new LimitError('peerBytes', what);
    }
    if (all.total > limits.totalBytes && held.total > limits.peerBytes / SMALL_PART) {
      const what = `all peers hold ${all.total} bytes in subscriptions and responses, more than ${limits.totalBytes}`;
      throw new LimitError('totalBytes', what);
    }
  };

  const checkConnection = (connection: string): void => {
    const streams = connections.get(connection) ?? 0;
    if (streams < limits.connectionStreams) return;
    throw new LimitError('connectionStreams', `the connection has ${streams} streams`);
  };

  const enter = (connection: string): (() => void) => {
    checkConnection(connection);
    addCount(connections, connection, 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      addCount(connections, connection, -1);
    };
  };

  return {
    wait: enter,
    open: (key) => {
      const { connection } = key;
      const id = `${key.lane} ${key.name}`;
      checkConnection(connection);
      const peer = peerOf(id);
      if (peer.streams >= limits.peerStreams)
        throw new LimitError('peerStreams', `the peer has ${peer.streams} streams`);
      const leave = enter(connection);
      peer.streams++;
      let isUnread = false;
      let isClosed = false;

      const add = (root: HeldRoot): void => {
        for (const object of describe(root)) peer.held.add(object);
      };
      const remove = (root: HeldRoot): void => {
        for (const object of describe(root)) peer.held.remove(object);
      };
      const read = (): void => {
        if (!isUnread) return;
        isUnread = false;
        peer.unread--;
      };

      return {
        key,
        replace: (before, after) => {
          if (before === after || isClosed) return after;
          // The new object first, so that parts which it shares with the old one stay counted.
          if (after !== undefined) add(after);
          if (before !== undefined) remove(before);
          return after;
        },
        checkBytes: () => checkBytes(peer),
        unread: () => {
          if (!isUnread) {
            isUnread = true;
            peer.unread++;
          }
          return peer.unread <= limits.unreadStreams;
        },
        read,
        close: () => {
          if (isClosed) return;
          isClosed = true;
          read();
          peer.streams--;
          if (peer.streams === 0) peers.delete(id);
          leave();
        },
      };
    },
    get heldBytes() {
      return all.total;
    },
  };
}

/**
 * Finds the peer of a stream. A plaintext peer is an address without its port, because a peer can use any number of
 * ports. A whole mesh may share one address, so the limits of a peer must be wide.
 *
 * @param peer `host:port` of the connection
 * @param identities proven by the caller; undefined on a listener without authentication
 */
export function peerKeyOf(peer: string, identities: readonly WorkloadIdentity[] | undefined): PeerKey {
  if (identities === undefined) return { lane: 'plaintext', name: addressOf(peer), connection: peer };
  return { lane: 'authenticated', name: identities.map(formatSpiffeId).sort().join(), connection: peer };
}

/** The address of `host:port`. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '');
}
