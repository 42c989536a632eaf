import { status } from '@grpc/grpc-js';
import test from 'ava';
import { isRpcCode, rpcCodeNumber, rpcCodeOf } from '../../src/base/rpc-code.js';

test('names and numbers are those of gRPC', (t) => {
  for (const [name, number] of Object.entries(status).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  )) {
    t.is<string, string>(rpcCodeOf(number), name);
    t.is(rpcCodeNumber(rpcCodeOf(number)), number);
  }
});

test('an unknown number is UNKNOWN', (t) => {
  for (const number of [-1, 17, 0.5, Number.NaN]) t.is(rpcCodeOf(number), 'UNKNOWN');
});

test('only the names of the codes are codes', (t) => {
  t.true(isRpcCode('UNAVAILABLE'));
  for (const value of ['unavailable', '', 'toString', 14, undefined]) t.false(isRpcCode(value));
});
