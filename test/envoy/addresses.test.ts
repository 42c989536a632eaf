import test from 'ava';
import { cidrRange, endpointAddress, socketAddress } from '../../src/envoy/addresses.js';

test('an endpoint is an address with a port, or a socket of the proxy host', (t) => {
  t.deepEqual(endpointAddress('10.0.0.1', 8080), { socketAddress: { address: '10.0.0.1', portValue: 8080 } });
  t.deepEqual(endpointAddress('db.example.com', 5432), {
    socketAddress: { address: 'db.example.com', portValue: 5432 },
  });
  t.deepEqual(endpointAddress('unix:///run/app.sock', 0), { pipe: { path: '/run/app.sock' } });
});

test('an address is TCP by default', (t) => {
  t.deepEqual(socketAddress('::', 53), { socketAddress: { address: '::', portValue: 53 } });
  t.deepEqual(socketAddress('::', 53, 'UDP'), { socketAddress: { protocol: 'UDP', address: '::', portValue: 53 } });
});

test('a range is split at its prefix length, also in IPv6', (t) => {
  t.deepEqual(cidrRange('10.0.0.0/8'), { addressPrefix: '10.0.0.0', prefixLen: { value: 8 } });
  t.deepEqual(cidrRange('::/0'), { addressPrefix: '::', prefixLen: { value: 0 } });
});
