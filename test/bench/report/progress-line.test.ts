import test from 'ava';
import { ProgressLine } from '../../../bench/report/progress-line.js';

const PROGRESS = { clients: 200, completed: 3, receivedBytes: 1024 * 1024, lastMessageAtMs: 0, waitingFor: '' };

function createLine(isTTY: boolean) {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const output = { isTTY, columns: 60, write: (text: string) => written.push(text) };
  return { line: new ProgressLine(output, () => clock.nowMs), written, clock };
}

test('a wait is drawn at once, then a few times a second', (t) => {
  const { line, written, clock } = createLine(true);
  line.update('first sync', PROGRESS);
  clock.nowMs = 50;
  line.update('first sync', PROGRESS);
  t.is(written.length, 1);
  clock.nowMs = 120;
  line.update('first sync', PROGRESS);
  line.update('endpoint change', PROGRESS);
  t.is(written.length, 3);
  t.is(written[0], '\r\u001B[Kfirst sync …  3/200 clients  1.0 MiB');
});

test('the line never wraps', (t) => {
  const { line, written } = createLine(true);
  line.update('x'.repeat(100), undefined);
  t.is(written[0]?.length, '\r\u001B[K'.length + 59);
});

test('without a terminal, no text is written', (t) => {
  const { line, written } = createLine(false);
  line.update('first sync', PROGRESS);
  line.clear();
  t.deepEqual(written, []);
});
