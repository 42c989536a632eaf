import test from 'ava';
import { readAskedRequest } from '../../src/inspect/policy/asked-request.js';
import { attributeText } from '../../src/inspect/policy/attribute-text.js';
import { bagOf } from '../../src/policy/client/attribute-bag.js';
import type { AttributeValue } from '../../src/policy/client/attribute-value.js';

const text = (value: AttributeValue): string => attributeText('a', bagOf(new Map([['a', value]])));

test('times, durations, maps and keys are shown as a person reads them', (t) => {
  t.is(text({ type: 'timestamp', value: 1_600_000_000_123_456_789n }), '2020-09-13T12:26:40.123Z');
  t.is(text({ type: 'duration', value: 1_500_000n }), '1.5 ms');
  const labels = new Map([
    ['version', 'v1'],
    ['app', 'books'],
  ]);
  t.is(text({ type: 'stringMap', value: labels }), 'app=books, version=v1');
  t.is(text({ type: 'string', value: `sha256:${'0123456789ab'.padEnd(64, 'f')}` }), 'sha256:0123456789ab…');
  t.is(text({ type: 'int64', value: 7n }), '7');
});

test('a URL of another scheme than http and https is refused, with the scheme and the supported ones', (t) => {
  for (const url of ['ftp://web.shop/', 'unix://x']) {
    const scheme = url.slice(0, url.indexOf(':'));
    t.throws(() => readAskedRequest('GET', url, [], '', ''), {
      message: new RegExp(`has the scheme "${scheme}"; the supported ones are http and https`),
    });
  }
  t.is(readAskedRequest('GET', 'web.shop:8080/books', [], '', '').port, 8080);
});
