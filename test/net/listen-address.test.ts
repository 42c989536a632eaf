import test from 'ava';
import { formatListenAddress, parseListenAddress } from '../../src/net/listen-address.js';

test('an address is a host and a port, a port alone, or a bracketed IPv6 address and a port', (t) => {
  for (const [text, host, port] of [
    [':8080', '', 8080],
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['localhost:65535', 'localhost', 65535],
    ['[::]:15014', '::', 15014],
    ['[fe80::1%eth0]:80', 'fe80::1%eth0', 80],
  ] as const) {
    const address = parseListenAddress(text);
    t.deepEqual(address, { host, port });
    t.is(formatListenAddress(address), text);
  }
});

test('other text is rejected with an error that quotes it and says what is allowed', (t) => {
  for (const text of [
    '',
    '8080',
    'localhost',
    'localhost:',
    ':65536',
    ':-1',
    '::1:80',
    '[::1]',
    'a b:80',
    ':80x',
    'http://a:80',
  ]) {
    t.throws(() => parseListenAddress(text), { message: /must be host:port, :port or \[IPv6 address\]:port/ }, text);
  }
});
