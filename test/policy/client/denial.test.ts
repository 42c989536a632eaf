import test from 'ava';
import type { RpcCode } from '../../../src/base/rpc-code.js';
import { denialResponse } from '../../../src/policy/client/policy-status.js';

const STATUS_OF: readonly (readonly [number, readonly RpcCode[]])[] = [
  [400, ['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE']],
  [401, ['UNAUTHENTICATED']],
  [403, ['PERMISSION_DENIED']],
  [404, ['NOT_FOUND']],
  [409, ['ALREADY_EXISTS', 'ABORTED']],
  [429, ['RESOURCE_EXHAUSTED']],
  [499, ['CANCELLED']],
  [500, ['UNKNOWN', 'INTERNAL', 'DATA_LOSS']],
  [501, ['UNIMPLEMENTED']],
  [503, ['UNAVAILABLE']],
  [504, ['DEADLINE_EXCEEDED']],
];

for (const [httpStatus, codes] of STATUS_OF) {
  for (const code of codes) {
    test(`a request that is refused with ${code} gets ${httpStatus} and the text of the status`, (t) => {
      t.deepEqual(denialResponse({ code, message: 'no' }), { httpStatus, body: 'no' });
    });
  }
}

test('OK refuses nothing', (t) => {
  t.is(denialResponse({ code: 'OK', message: '' }), undefined);
});

test('a route directive overrides status and body, each on its own', (t) => {
  const status = { code: 'RESOURCE_EXHAUSTED', message: 'no' } as const;
  t.deepEqual(denialResponse(status, { directResponseCode: 302 }), { httpStatus: 302, body: 'no' });
  t.deepEqual(denialResponse(status, { directResponseBody: 'wait' }), { httpStatus: 429, body: 'wait' });
  t.deepEqual(denialResponse(status, { directResponseCode: 0, directResponseBody: '' }), {
    httpStatus: 429,
    body: 'no',
  });
});
