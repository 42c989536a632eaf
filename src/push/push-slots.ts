import type { TurnOwner } from './waiting-targets.js';

/** Authenticated and plaintext proxies. Neither can use the slots of the other. */
export type PushLane = 'authenticated' | 'plaintext';

/** The share of the push throttle that a stream uses. */
export interface PushShare extends TurnOwner {
  readonly lane: PushLane;
  /** Authenticated: the identity. Plaintext: the address, which a whole mesh may share. */
  readonly peer: string;
  /** Authenticated: the identity's node. Plaintext: the connection; each sidecar has its own. */
  readonly source: string;
}

/** The slots of one lane. Unread writes reduce the number that a peer and a source may use. */
export interface PushSlots {
  readonly active: number;
  /** Whether a turn of that share may start now. */
  hasRoom(share: Pick<PushShare, 'peer'>): boolean;
  hasRoomForSource(share: PushShare): boolean;
  /** Whether that share has unread writes, and therefore gets less time to read the next one. */
  isSlow(share: PushShare): boolean;
  take(share: PushShare, bytes: number): void;
  release(share: PushShare, bytes: number): void;
  /** A write of that share was not read in time. */
  addUnread(share: PushShare): void;
  removeUnread(share: PushShare): void;
}

interface Use {
  active: number;
  bytes: number;
  unread: number;
}

const NO_USE: Readonly<Use> = { active: 0, bytes: 0, unread: 0 };

/** The part of a lane that one peer may use. A whole mesh may share one address. */
const PEER_PART = 3 / 4;
/** The part that a peer with unread writes keeps: only some of the proxies behind an address may be broken. */
const SLOW_PEER_PART = 1 / 8;
/** The part that one source may use. */
const SOURCE_PART = 1 / 2;
/** The part of a lane in unread writes above which a peer counts as slow. */
const SLOW_PART = 1 / 4;

/**
 * @param throttle number of turns at the same time
 * @param byteBudget unsent bytes above which no further turn starts
 */
export function createPushSlots(throttle: number, byteBudget: number): PushSlots {
  const uses = new Map<string, Use>();
  let active = 0;
  let activeBytes = 0;

  const change = (key: string, by: Partial<Use>): void => {
    const use = uses.get(key) ?? { ...NO_USE };
    use.active += by.active ?? 0;
    use.bytes += by.bytes ?? 0;
    use.unread += by.unread ?? 0;
    if (use.active === 0 && use.unread === 0) uses.delete(key);
    else uses.set(key, use);
  };
  const changeBoth = (share: PushShare, by: Partial<Use>): void => {
    change(peerKey(share), by);
    change(sourceKey(share), by);
  };
  const useOf = (key: string): Readonly<Use> => uses.get(key) ?? NO_USE;

  return {
    get active() {
      return active;
    },
    hasRoom: (share) => {
      if (active >= throttle || (activeBytes >= byteBudget && active > 0)) return false;
      const use = useOf(peerKey(share));
      if (use.active === 0) return true;
      const most = Math.max(Math.ceil(throttle * SLOW_PEER_PART), Math.ceil(throttle * PEER_PART) - use.unread);
      return use.active < most && use.bytes < byteBudget * PEER_PART;
    },
    hasRoomForSource: (share) => {
      const use = useOf(sourceKey(share));
      return use.active < Math.max(1, Math.ceil(throttle * SOURCE_PART) - use.unread);
    },
    isSlow: (share) =>
      useOf(sourceKey(share)).unread > 0 || useOf(peerKey(share)).unread >= Math.ceil(throttle * SLOW_PART),
    take: (share, bytes) => {
      active++;
      activeBytes += bytes;
      changeBoth(share, { active: 1, bytes });
    },
    release: (share, bytes) => {
      active--;
      activeBytes -= bytes;
      changeBoth(share, { active: -1, bytes: -bytes });
    },
    addUnread: (share) => changeBoth(share, { unread: 1 }),
    removeUnread: (share) => changeBoth(share, { unread: -1 }),
  };
}

function peerKey({ peer }: Pick<PushShare, 'peer'>): string {
  return `peer ${peer}`;
}

function sourceKey({ peer, source }: PushShare): string {
  return `source ${peer} ${source}`;
}
