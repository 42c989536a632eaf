import { hash } from 'node:crypto';
import type { ObjectKey } from '../config/object.js';

/** One object's version at a point in time; undefined when it was deleted. */
export interface LedgerChange {
  readonly key: ObjectKey;
  readonly version: string | undefined;
}

/**
 * Remembers which version every object had under each state of the configuration, so that an acknowledged
 * nonce tells what a proxy has (NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING). A state is named by its root:
 * 64 bits in base64, 12 characters, the start of every nonce (BEHAVIOUR 5, "Version/nonce").
 *
 * The root is the sum of one hash per object, so that it follows from the content alone and a change costs
 * as much as what changed; the history is kept per object, so that an old state costs no copy.
 */
export interface DistributionLedger {
  /** The root of the newest state. */
  readonly root: string;
  /** Applies changes and returns the new root; no change, same root. */
  record(changes: Iterable<LedgerChange>, nowMs: number): string;
  /** Version of an object under a root; undefined when there was none, or when the root has expired. */
  versionAt(root: string, key: ObjectKey): string | undefined;
  /** Whether the root is still known. */
  knows(root: string): boolean;
}

interface Revision {
  readonly sequence: number;
  readonly version: string | undefined;
}

interface State {
  sequence: number;
  /** When it stopped being the newest; undefined while it is. */
  supersededMs: number | undefined;
}

export const ROOT_LENGTH = 12;

/** @param retentionMs how long an old state can be looked up (NAV_DISTRIBUTION_HISTORY_RETENTION). */
export function createDistributionLedger(retentionMs: number): DistributionLedger {
  const histories = new Map<ObjectKey, Revision[]>();
  /** By root, oldest first. */
  const states = new Map<string, State>();
  /** Objects with more than one revision, which expiry has to look at. */
  const changedKeys = new Set<ObjectKey>();
  let sequence = 0;
  let sum = 0n;
  let root = encodeRoot(sum);
  states.set(root, { sequence, supersededMs: undefined });

  const expire = (nowMs: number): void => {
    let oldest = sequence;
    for (const [name, state] of states) {
      if (state.supersededMs !== undefined && nowMs - state.supersededMs > retentionMs) states.delete(name);
      else oldest = Math.min(oldest, state.sequence);
    }
    for (const key of changedKeys) {
      const history = histories.get(key) ?? [];
      const kept = history.filter((_, index) => {
        const next = history[index + 1];
        return next === undefined || next.sequence > oldest;
      });
      if (kept.length === 1 && kept[0]?.version === undefined) histories.delete(key);
      else histories.set(key, kept);
      if (kept.length <= 1) changedKeys.delete(key);
    }
  };

  return {
    get root() {
      return root;
    },
    record: (changes, nowMs) => {
      const next = sequence + 1;
      let changed = false;
      for (const { key, version } of changes) {
        const history = histories.get(key);
        const current = history?.at(-1)?.version;
        if (current === version) continue;
        changed = true;
        if (current !== undefined) sum -= entryHash(key, current);
        if (version !== undefined) sum += entryHash(key, version);
        if (history === undefined) histories.set(key, [{ sequence: next, version }]);
        else history.push({ sequence: next, version });
        changedKeys.add(key);
      }
      if (changed) {
        const superseded = states.get(root);
        if (superseded !== undefined) superseded.supersededMs = nowMs;
        sequence = next;
        sum = BigInt.asUintN(64, sum);
        root = encodeRoot(sum);
        // A state that comes back (a change undone) is the newest again, under its old name.
        states.delete(root);
        states.set(root, { sequence, supersededMs: undefined });
      }
      expire(nowMs);
      return root;
    },
    versionAt: (name, key) => {
      const state = states.get(name);
      if (state === undefined) return undefined;
      return histories.get(key)?.findLast((revision) => revision.sequence <= state.sequence)?.version;
    },
    knows: (name) => states.has(name),
  };
}

function entryHash(key: ObjectKey, version: string): bigint {
  return Buffer.from(hash('sha256', `${key}\n${version}`, 'hex').slice(0, 16), 'hex').readBigUInt64BE();
}

function encodeRoot(sum: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, sum));
  return bytes.toString('base64');
}
