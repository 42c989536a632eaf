import { formatSpiffeId, type WorkloadIdentity } from '../../model/spiffe-id.js';
import type { PushLane } from '../../push/push-slots.js';
import { HeldBytes, type HeldObject } from './held-bytes.js';
import { LimitError, type XdsLimits } from './xds-limits.js';

/** Which peer a stream belongs to. */
export interface PeerKey {
  readonly lane: PushLane;
  /** Authenticated: the SPIFFE id. Plaintext: the address without its port. */
  readonly name: string;
  /** `host:port` of the connection. */
  readonly connection: string;
}

/** One stream's part in what its peer takes. */
export interface PeerStream {
  readonly key: PeerKey;
  /**
   * From now on the stream holds these objects and no others. Costs least where it is given the same ones again.
   *
   * @throws LimitError when the peer, or all peers, then hold too much
   */
  hold(objects: readonly HeldObject[]): void;
  /**
   * The stream has not read a response for 5 seconds.
   *
   * @returns false when the peer has too many such streams
   */
  unread(): boolean;
  /** The stream has read what it left unread. */
  read(): void;
  close(): void;
}

/** Everything that peers of the discovery server take, on all listeners. */
export interface Peers {
  /**
   * Counts a stream of the connection while it is not known who calls.
   *
   * @returns ends the wait; may be called again
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

/** Above the total limit, a peer with less than this part of its own limit may still ask. */
const SMALL_PART = 16;

export function createPeers(limits: XdsLimits): Peers {
  const peers = new Map<string, Peer>();
  const connections = new Map<string, number>();
  const all = new HeldBytes();

  const peerOf = (id: string): Peer => {
    let peer = peers.get(id);
    if (peer === undefined) {
      peer = { held: new HeldBytes(), streams: 0, unread: 0 };
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
    connections.set(connection, (connections.get(connection) ?? 0) + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = (connections.get(connection) ?? 1) - 1;
      if (left === 0) connections.delete(connection);
      else connections.set(connection, left);
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
      let held: readonly HeldObject[] = [];
      let isUnread = false;
      let isClosed = false;

      // New objects first: what they share with those that go is not looked at again.
      const replace = (objects: readonly HeldObject[]): void => {
        for (const object of objects) {
          if (held.includes(object)) continue;
          peer.held.add(object);
          all.add(object);
        }
        for (const object of held) {
          if (objects.includes(object)) continue;
          peer.held.remove(object);
          all.remove(object);
        }
        held = objects;
      };
      const read = (): void => {
        if (!isUnread) return;
        isUnread = false;
        peer.unread--;
      };

      return {
        key,
        hold: (objects) => {
          if (isClosed) return;
          replace(objects);
          checkBytes(peer);
        },
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
          replace([]);
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
 * Who a stream's peer is. A plaintext peer is an address: a port costs nothing, and a whole mesh may share one address,
 * so that limits of a peer have to be wide.
 *
 * @param peer `host:port` of the connection
 * @param identities proven by the caller; undefined where nothing is proven
 */
export function peerKeyOf(peer: string, identities: readonly WorkloadIdentity[] | undefined): PeerKey {
  if (identities === undefined) return { lane: 'plaintext', name: addressOf(peer), connection: peer };
  return { lane: 'authenticated', name: identities.map(formatSpiffeId).sort().join(), connection: peer };
}

/** The address of `host:port`. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '');
}
