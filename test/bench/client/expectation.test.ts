import test from 'ava';
import { expectationOfClient, staysInStorm } from '../../../bench/client/expectation.js';

test('in a storm, one client in twenty stays connected and waits for the change', (t) => {
  const markers = [{ typeUrl: 'type', text: '10.0.0.1' }];
  const kinds = Array.from({ length: 40 }, (_, index) => expectationOfClient({ kind: 'storm', markers }, index).kind);
  t.deepEqual(
    kinds.flatMap((kind, index) => (kind === 'change' ? [index] : [])),
    [0, 20],
  );
  t.true(kinds.every((kind, index) => kind === (staysInStorm(index) ? 'change' : 'sync')));
  t.deepEqual(expectationOfClient({ kind: 'sync' }, 0), { kind: 'sync' });
});

test('among clients on demand, only the witness waits for a change', (t) => {
  const markers = [{ typeUrl: 'type', text: '10.0.0.1' }];
  const kinds = [0, 1, 2].map((index) => expectationOfClient({ kind: 'unseen', markers }, index).kind);
  t.deepEqual(kinds, ['change', 'nothing', 'nothing']);
});
