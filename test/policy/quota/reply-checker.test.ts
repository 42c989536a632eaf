import test from 'ava';
import { createReplyChecker } from '../../../src/policy/quota/redis/reply-checker.js';

function problemOf(text: string, commands = 1, chunkLength = text.length): string | undefined {
  const checker = createReplyChecker();
  for (let n = 0; n < commands; n++) checker.expect();
  const bytes = Buffer.from(text, 'latin1');
  try {
    for (let at = 0; at < bytes.length; at += chunkLength) checker.check(bytes.subarray(at, at + chunkLength));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('replies of all types of RESP2 pass, wherever they are cut', (t) => {
  const replies = [
    '+OK\r\n',
    '-ERR no\r\n',
    ':-7\r\n',
    '$3\r\na\r\n\r\n',
    '$0\r\n\r\n',
    '$-1\r\n',
    '*-1\r\n',
    '*0\r\n',
  ];
  const list = `*${replies.length}\r\n${replies.join('')}`;
  const text = [...replies, list, '*2\r\n:0\r\n*2\r\n$1\r\na\r\n:1\r\n'].join('');
  for (const chunkLength of [1, 2, 3, 7, text.length]) {
    t.is(problemOf(text, replies.length + 2, chunkLength), undefined, `in pieces of ${chunkLength}`);
  }
});

test('replies that a client cannot take are refused', (t) => {
  t.is(problemOf('+OK\r\n', 0), 'a reply came without a command');
  t.is(problemOf('+OK\r\n$-1\r\n', 1), 'a reply came without a command');
  for (const other of ['>1\r\n_\r\n', '%1\r\n', '_\r\n', ':seven\r\n', '$x\r\n', '+OK\n', '\r\n', '*1.5\r\n']) {
    t.is(problemOf(other), 'a reply is not in RESP2', JSON.stringify(other));
  }
  t.is(problemOf('*1\r\n'.repeat(5)), 'a reply has more than 4 levels');
});

test('a reply that is too long is refused when its length is announced, and while it comes', (t) => {
  const tooLong = 'a reply has more than 65536 bytes';
  t.is(problemOf('$65536\r\n'), tooLong);
  t.is(problemOf('*65536\r\n'), tooLong);
  t.is(problemOf('+'.padEnd(65_537, 'a'), 1, 1000), tooLong);
  t.is(problemOf('*2\r\n$40000\r\n'.padEnd(40_012, 'a').concat('\r\n$40000\r\n')), tooLong);
});
