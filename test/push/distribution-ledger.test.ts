import test from 'ava';
import {
  CONFIG_VERSION_LENGTH,
  createDistributionLedger,
  type DistributionLedger,
} from '../../src/push/distribution-ledger.js';
import fc from '../support/property-testing.js';

test('a config version is twelve characters and follows from the content alone', (t) => {
  const first = createDistributionLedger(1000);
  first.record([{ key: 'Service/ns/a', version: '1' }], 0);
  first.record([{ key: 'Service/ns/b', version: '7' }], 1);
  const second = createDistributionLedger(1000);
  second.record(
    [
      { key: 'Service/ns/b', version: '7' },
      { key: 'Service/ns/a', version: '1' },
    ],
    0,
  );
  t.is(first.configVersion.length, CONFIG_VERSION_LENGTH);
  t.is(first.configVersion, second.configVersion);
});

test('an old config version still tells the version it had, until the retention is over', (t) => {
  const ledger = createDistributionLedger(60_000);
  const first = ledger.record([{ key: 'k', version: '1' }], 0);
  const second = ledger.record([{ key: 'k', version: '2' }], 1000);
  t.is(ledger.versionAt(first, 'k'), '1');
  t.is(ledger.versionAt(second, 'k'), '2');
  ledger.record([], 61_000);
  t.is(ledger.versionAt(first, 'k'), '1');
  ledger.record([], 61_001);
  t.is(ledger.versionAt(first, 'k'), undefined);
  t.false(ledger.knows(first));
  t.is(ledger.versionAt(second, 'k'), '2');
});

test('the newest state never expires', (t) => {
  const ledger = createDistributionLedger(10);
  const configVersion = ledger.record([{ key: 'k', version: '1' }], 0);
  ledger.record([], 1_000_000);
  t.is(ledger.versionAt(configVersion, 'k'), '1');
});

test('an unknown config version or object has no version', (t) => {
  const ledger = createDistributionLedger(1000);
  const configVersion = ledger.record([{ key: 'k', version: '1' }], 0);
  t.is(ledger.versionAt('AAAAAAAAAAA=x', 'k'), undefined);
  t.is(ledger.versionAt(configVersion, 'other'), undefined);
});

test('recording a known version again keeps the config version', (t) => {
  const ledger = createDistributionLedger(1000);
  const configVersion = ledger.record([{ key: 'k', version: '1' }], 0);
  t.is(ledger.record([{ key: 'k', version: '1' }], 5), configVersion);
});

test('every config version within the retention answers as a copy of its state would', (t) => {
  const change = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    version: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  });
  const step = fc.record({ changes: fc.array(change, { maxLength: 4 }), afterMs: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const retentionMs = 100;
      const ledger = createDistributionLedger(retentionMs);
      const states: { configVersion: string; copy: Map<string, string>; supersededMs: number | undefined }[] = [];
      let copy = new Map<string, string>();
      let nowMs = 0;
      for (const { changes, afterMs } of steps) {
        nowMs += afterMs;
        copy = new Map(copy);
        for (const { key, version } of changes) {
          if (version === undefined) copy.delete(key);
          else copy.set(key, version);
        }
        const configVersion = ledger.record(changes, nowMs);
        const last = states.at(-1);
        if (last?.configVersion !== configVersion) {
          if (last !== undefined) last.supersededMs = nowMs;
          states.push({ configVersion, copy, supersededMs: undefined });
        }
        for (const state of states) {
          const isLive = state.supersededMs === undefined || nowMs - state.supersededMs <= retentionMs;
          if (!isLive) continue;
          for (const key of ['a', 'b', 'c', 'd']) t.is(ledger.versionAt(state.configVersion, key), state.copy.get(key));
        }
      }
    }),
  );
});

/** Versions of the objects 0, 1 and so on; without an object where the version is 0. */
type Versions = readonly number[];

/** A ledger that has recorded states after one another, each an hour after the one before. */
function recordAll(states: readonly Versions[], afterEach?: (ledger: DistributionLedger) => void) {
  const ledger = createDistributionLedger(1);
  const configVersions = new Map<string, string>();
  let previous: Versions = [];
  states.forEach((versions, hour) => {
    const changes = versions.flatMap((version, index) =>
      version === previous[index] ? [] : [{ key: `k${index}`, version: version === 0 ? undefined : String(version) }],
    );
    previous = versions;
    configVersions.set(versions.join(), ledger.record(changes, hour * 3_600_000));
    afterEach?.(ledger);
  });
  return { ledger, configVersionOf: (versions: Versions) => configVersions.get(versions.join()) ?? '' };
}

const sorted = (keys: ReadonlySet<string> | undefined) => keys && [...keys].sort();

/** Retains every state that was recorded. */
function retainAll() {
  const configVersions = new Set<string>();
  return (ledger: DistributionLedger) => ledger.retain(configVersions.add(ledger.configVersion));
}

test('the objects that changed after a state are those that were added, changed or removed', (t) => {
  const states = [
    [1, 1, 0],
    [1, 2, 0],
    [1, 2, 1],
    [0, 2, 1],
  ];
  const { ledger, configVersionOf } = recordAll(states, retainAll());
  t.deepEqual(sorted(ledger.changedSince(configVersionOf([1, 1, 0]))), ['k0', 'k1', 'k2']);
  t.deepEqual(sorted(ledger.changedSince(configVersionOf([1, 2, 1]))), ['k0']);
  t.deepEqual(sorted(ledger.changedBetween(configVersionOf([1, 2, 0]), configVersionOf([1, 2, 1]))), ['k2']);
  t.deepEqual(sorted(ledger.changedBetween(configVersionOf([1, 2, 1]), configVersionOf([1, 2, 0]))), ['k2']);
  t.deepEqual(sorted(ledger.changedSince(configVersionOf([0, 2, 1]))), []);
  t.is(ledger.changedSince('never'), undefined);
  t.is(ledger.changedBetween('never', configVersionOf([0, 2, 1])), undefined);
});

test('a proxy at a state that came back misses only the changes after it came back', (t) => {
  const states = [
    [1, 1],
    [1, 2],
    [1, 1],
    [2, 1],
  ];
  const { ledger, configVersionOf } = recordAll(states, retainAll());
  t.deepEqual(sorted(ledger.changedSince(configVersionOf([1, 1]))), ['k0']);
});

test('a retained state outlives the retention, and expires when it is not retained any more', (t) => {
  const ledger = createDistributionLedger(10);
  const first = ledger.record([{ key: 'k', version: '1' }], 0);
  ledger.retain(new Set([first]));
  ledger.record([{ key: 'k', version: '2' }], 1);
  ledger.record([{ key: 'k', version: '3' }], 1000);
  t.is(ledger.versionAt(first, 'k'), '1');
  t.deepEqual(sorted(ledger.changedSince(first)), ['k']);
  ledger.retain(new Set());
  ledger.record([], 2000);
  t.is(ledger.versionAt(first, 'k'), undefined);
  t.is(ledger.changedSince(first), undefined);
});

const histories = fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 3, maxLength: 3 }), {
  minLength: 1,
  maxLength: 12,
});

test('the changes after a retained state name every object that differs from it, however old the state', (t) => {
  fc.assert(
    fc.property(histories, fc.nat(), (states, pick) => {
      const held = states[pick % states.length] ?? [];
      let heldVersion = '';
      const retained = new Set<string>();
      let step = 0;
      const { ledger } = recordAll(states, (each) => {
        if (states[step++]?.join() === held.join()) heldVersion = each.configVersion;
        each.retain(retained.add(heldVersion));
      });
      const since = ledger.changedSince(heldVersion);
      const last = states.at(-1) ?? [];
      return since !== undefined && held.every((version, index) => version === last[index] || since.has(`k${index}`));
    }),
  );
  t.pass();
});
