import { hash } from 'node:crypto';
import { appendTo } from '../base/append-to.js';
import type { ObjectKey } from '../config/object.js';

/** One object's version at a point in time; undefined when it was deleted. */
export interface LedgerChange {
  readonly key: ObjectKey;
  readonly version: string | undefined;
}

/**
 * Remembers which version every object had in each state of the configuration, so that an acknowledged nonce tells
 * which objects a proxy has, and which it misses (NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING). The config version names a
 * state: 64 bits in base64, 12 characters, the start of every nonce.
 *
 * The config version is the sum of one hash per object. It depends on the content alone, and a change costs as much as
 * the objects that changed. The history is kept per object, so an old state needs no copy.
 */
export interface DistributionLedger {
  /** The config version of the newest state. */
  readonly configVersion: string;
  /** Applies changes and returns the new config version; without a change, it stays. */
  record(changes: Iterable<LedgerChange>, nowMs: number): string;
  /** Version of an object in a state; undefined when the object did not exist, or when the state has expired. */
  versionAt(configVersion: string, key: ObjectKey): string | undefined;
  /** Whether the state has not expired. */
  knows(configVersion: string): boolean;
  /** Objects that changed after a state; undefined when the state is not known. */
  changedSince(configVersion: string): ReadonlySet<ObjectKey> | undefined;
  /** Objects that differ, or differed meanwhile, between two states; undefined when a state is not known. */
  changedBetween(first: string, second: string): ReadonlySet<ObjectKey> | undefined;
  /** Keeps these states beyond the retention, until the next call: proxies still have them. */
  retain(configVersions: ReadonlySet<string>): void;
}

interface Revision {
  readonly sequence: number;
  readonly version: string | undefined;
}

interface State {
  readonly sequence: number;
  /** When it stopped being the newest; undefined while it is. */
  supersededMs: number | undefined;
}

/** Characters of a config version. */
export const CONFIG_VERSION_LENGTH = 12;
/** Revisions are removed once the removed states are this part of the known ones: it looks at every changed object. */
const COMPACT_PART = 1 / 4;
const NOTHING: ReadonlySet<string> = new Set();

/** @param retentionMs how long an old state that is not retained can be looked up (NAV_DISTRIBUTION_HISTORY_RETENTION) */
export function createDistributionLedger(retentionMs: number): DistributionLedger {
  const histories = new Map<ObjectKey, Revision[]>();
  /** By config version, oldest first. */
  const states = new Map<string, State>();
  /** Objects that changed after the oldest state. */
  const changedKeys = new Set<ObjectKey>();
  const knownChanges = new Map<string, ReadonlySet<ObjectKey>>();
  let retained = NOTHING;
  let removedStates = 0;
  let sequence = 0;
  let sum = 0n;
  let configVersion = encodeSum(sum);
  states.set(configVersion, { sequence, supersededMs: undefined });

  /** Removes the revisions that no known state has. */
  const compact = (): void => {
    const sequences = [...states.values()].map((state) => state.sequence);
    const [oldest = sequence] = sequences;
    for (const key of changedKeys) {
      const history = histories.get(key) ?? [];
      const kept = history.filter((revision, index) => {
        const next = history[index + 1];
        return next === undefined || hasBetween(sequences, revision.sequence, next.sequence);
      });
      const [first] = kept;
      const isSettled = kept.length <= 1 && (first === undefined || first.sequence <= oldest);
      if (isSettled) changedKeys.delete(key);
      if (isSettled && first?.version === undefined) histories.delete(key);
      else histories.set(key, kept);
    }
  };

  const expire = (nowMs: number): void => {
    for (const [name, { supersededMs }] of states) {
      if (supersededMs === undefined || nowMs - supersededMs <= retentionMs || retained.has(name)) continue;
      states.delete(name);
      removedStates++;
    }
    if (removedStates <= states.size * COMPACT_PART) return;
    removedStates = 0;
    compact();
  };

  const changedIn = (after: number, until: number): ReadonlySet<ObjectKey> => {
    if (after >= until) return NOTHING;
    const isInside = (revision: Revision): boolean => revision.sequence > after && revision.sequence <= until;
    return new Set([...changedKeys].filter((key) => histories.get(key)?.some(isInside)));
  };

  return {
    get configVersion() {
      return configVersion;
    },
    record: (changes, nowMs) => {
      const next = sequence + 1;
      let changed = false;
      for (const { key, version } of changes) {
        const current = histories.get(key)?.at(-1)?.version;
        if (current === version) continue;
        changed = true;
        if (current !== undefined) sum -= entryHash(key, current);
        if (version !== undefined) sum += entryHash(key, version);
        appendTo(histories, key, { sequence: next, version });
        changedKeys.add(key);
      }
      if (changed) {
        const superseded = states.get(configVersion);
        if (superseded !== undefined) superseded.supersededMs = nowMs;
        sequence = next;
        sum = BigInt.asUintN(64, sum);
        configVersion = encodeSum(sum);
        // A state that comes back (a change undone) is the newest again, under its old config version.
        states.delete(configVersion);
        states.set(configVersion, { sequence, supersededMs: undefined });
        knownChanges.clear();
      }
      expire(nowMs);
      return configVersion;
    },
    versionAt: (name, key) => {
      const state = states.get(name);
      if (state === undefined) return undefined;
      return histories.get(key)?.findLast((revision) => revision.sequence <= state.sequence)?.version;
    },
    knows: (name) => states.has(name),
    changedSince: (name) => {
      const state = states.get(name);
      if (state === undefined) return undefined;
      const found = knownChanges.get(name) ?? changedIn(state.sequence, sequence);
      knownChanges.set(name, found);
      return found;
    },
    changedBetween: (first, second) => {
      const [one, other] = [states.get(first)?.sequence, states.get(second)?.sequence];
      if (one === undefined || other === undefined) return undefined;
      return changedIn(Math.min(one, other), Math.max(one, other));
    },
    retain: (configVersions) => {
      retained = configVersions;
    },
  };
}

/** Whether one of the ascending numbers is at least `from` and less than `until`. */
function hasBetween(numbers: readonly number[], from: number, until: number): boolean {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return (numbers[low] ?? until) < until;
}

function entryHash(key: ObjectKey, version: string): bigint {
  return Buffer.from(hash('sha256', `${key}\n${version}`, 'hex').slice(0, 16), 'hex').readBigUInt64BE();
}

function encodeSum(sum: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, sum));
  return bytes.toString('base64');
}
