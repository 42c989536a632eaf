import test from 'ava';
import fc from 'fast-check';
import { createDistributionLedger, ROOT_LENGTH } from '../../src/push/distribution-ledger.js';

test('a root is twelve characters and follows from the content alone', (t) => {
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
  t.is(first.root.length, ROOT_LENGTH);
  t.is(first.root, second.root);
});

test('an old root still tells the version it had, until the retention is over', (t) => {
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
  const root = ledger.record([{ key: 'k', version: '1' }], 0);
  ledger.record([], 1_000_000);
  t.is(ledger.versionAt(root, 'k'), '1');
});

test('an unknown root or object has no version', (t) => {
  const ledger = createDistributionLedger(1000);
  const root = ledger.record([{ key: 'k', version: '1' }], 0);
  t.is(ledger.versionAt('AAAAAAAAAAA=x', 'k'), undefined);
  t.is(ledger.versionAt(root, 'other'), undefined);
});

test('recording what is known already keeps the root', (t) => {
  const ledger = createDistributionLedger(1000);
  const root = ledger.record([{ key: 'k', version: '1' }], 0);
  t.is(ledger.record([{ key: 'k', version: '1' }], 5), root);
});

test('every root within the retention answers as a copy of its state would', (t) => {
  const change = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    version: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  });
  const step = fc.record({ changes: fc.array(change, { maxLength: 4 }), afterMs: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const retentionMs = 100;
      const ledger = createDistributionLedger(retentionMs);
      const states: { root: string; copy: Map<string, string>; supersededMs: number | undefined }[] = [];
      let copy = new Map<string, string>();
      let nowMs = 0;
      for (const { changes, afterMs } of steps) {
        nowMs += afterMs;
        copy = new Map(copy);
        for (const { key, version } of changes) {
          if (version === undefined) copy.delete(key);
          else copy.set(key, version);
        }
        const root = ledger.record(changes, nowMs);
        const last = states.at(-1);
        if (last?.root !== root) {
          if (last !== undefined) last.supersededMs = nowMs;
          states.push({ root, copy, supersededMs: undefined });
        }
        for (const state of states) {
          const isLive = state.supersededMs === undefined || nowMs - state.supersededMs <= retentionMs;
          if (!isLive) continue;
          for (const key of ['a', 'b', 'c', 'd']) t.is(ledger.versionAt(state.root, key), state.copy.get(key));
        }
      }
    }),
  );
});
