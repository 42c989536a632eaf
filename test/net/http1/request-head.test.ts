import test from 'ava';
import { readRequestHead } from '../../../src/net/http1/request-head.js';

function read(text: string) {
  const headers: (readonly [string, string])[] = [];
  const line = readRequestHead(text, 6, (name, value) => headers.push([name, value]));
  return line === undefined ? undefined : { ...line, headers };
}

test('a head has a method, a target and headers, in their order', (t) => {
  t.deepEqual(read('GET /a?b=c HTTP/1.1\r\nhost: books\r\nx-a: 1, 2\r\nx-b:3\r\nx-c: \t 4 \t\r\nx-d:\r\nx-e: a:b'), {
    method: 'GET',
    target: '/a?b=c',
    headers: [
      ['host', 'books'],
      ['x-a', '1, 2'],
      ['x-b', '3'],
      ['x-c', '4'],
      ['x-d', ''],
      ['x-e', 'a:b'],
    ],
  });
});

test('a request without headers, of any method and target, is one', (t) => {
  t.deepEqual(read('PURGE * HTTP/1.1'), { method: 'PURGE', target: '*', headers: [] });
  t.like(read('GET /with a space HTTP/1.1'), { method: 'GET', target: '/with a space' });
});

test('a head with more headers than the limit is not read', (t) => {
  t.is(read(`GET / HTTP/1.1${'\r\na:'.repeat(6)}`)?.headers.length, 6);
  t.is(read(`GET / HTTP/1.1${'\r\na:'.repeat(7)}`), undefined);
});

for (const text of [
  '',
  ' ',
  'GET',
  'GET /',
  'GET / HTTP/1.0',
  'GET / HTTP/2.0',
  'GET HTTP/1.1',
  ' / HTTP/1.1',
  'PRI * HTTP/2.0',
  'GET / HTTP/1.1\r\nno colon',
  'GET / HTTP/1.1\r\n: no name',
  'GET / HTTP/1.1\r\nx-a : a space before the colon',
  'GET / HTTP/1.1\r\nx-a: b\r\n folded: c',
  'GET / HTTP/1.1\r\nx-a: b\r\n\tfolded: c',
  'GET / HTTP/1.1\r\nx-a: b\r\n\r\nx-b: c',
  'x-a: GET / HTTP/1.1\r\nno line',
]) {
  test(`${JSON.stringify(text)} is no head`, (t) => {
    t.is(read(text), undefined);
  });
}
