import test from 'ava';
import { createResourceCounts } from '../../../src/policy/rules/handler-resources.js';

const UNWATCHED = { daemons: () => undefined, workers: () => undefined, forget: () => undefined };

test('a namespace has a limited number of handlers with connections, and each of these may change', (t) => {
  const counts = createResourceCounts(UNWATCHED, 2);
  const end = counts.open('handler/shop/a').connection();
  counts.open('handler/shop/b').connection();
  counts.open('handler/shop/b').connection();
  t.throws(() => counts.open('handler/shop/c').connection(), {
    message: '2 handlers of namespace shop have connections already: remove some that are not needed',
  });
  t.notThrows(() => counts.open('handler/bank/c').connection());
  end();
  end();
  t.notThrows(() => counts.open('handler/shop/c').connection());
});

test('generations of a handler count together, and the last one to end removes the counts', (t) => {
  const told: string[] = [];
  const counts = createResourceCounts(
    {
      daemons: (handler, count) => told.push(`${handler} daemons ${count}`),
      workers: (handler, count) => told.push(`${handler} workers ${count}`),
      forget: (handler) => told.push(`${handler} forgotten`),
    },
    1,
  );
  const former = counts.open('h');
  const endConnection = former.daemon();
  const changed = counts.open('h');
  changed.daemon();
  endConnection();
  endConnection();
  former.worker()();
  former.release();
  changed.release();
  t.deepEqual(told, ['h daemons 1', 'h daemons 2', 'h daemons 1', 'h workers 1', 'h workers 0', 'h forgotten']);
});
