import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import test from 'ava';
import { failureLine } from '../../src/cli/commands/reported-command.js';
import { serverText } from '../../src/cli/text-output.js';

const HOSTILE = 'a\u001B]0;title\u0007\tb\n\u009B2Jc\r';

test('a terminal gets no control characters of a server, and a pipe gets its bytes', (t) => {
  const terminal = Object.create(WriteStream.prototype) as WriteStream;
  t.is(serverText(terminal, HOSTILE), 'a·]0;title·\tb\n·2Jc·');
  t.is(serverText(new PassThrough(), HOSTILE), HOSTILE);
});

test('the line of a failure has no control characters of the text that it quotes', (t) => {
  t.is(
    failureLine('nav', new Error('status 404: \u001B[2Jweb\n is \u009Bgone')),
    'nav: status 404: ·[2Jweb is ·gone\n',
  );
});
