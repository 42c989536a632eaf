import test from 'ava';
import type { RpcCode } from '../../../../src/base/rpc-code.js';
import { httpCheckResponse, tcpCheckResponse } from '../../../../src/policy/server/adapter/check-response.js';
import { createEnvoyCodec } from '../../../../src/policy/server/envoy-codec.js';
import { type AnsweredDecision, type CheckSide, verdictOf } from '../../../../src/policy/server/request-verdict.js';
import { envoyProtos, type ReadCheckResponse, readCheckResponse } from '../policy-server-rig.js';

const codec = createEnvoyCodec(envoyProtos);
const NO_METADATA = { fields: {} };

function http(decision: AnsweredDecision, side: CheckSide = 'inbound'): ReadCheckResponse {
  return readCheckResponse(
    codec.encodeCheckResponse(httpCheckResponse(decision.status, verdictOf(decision, side), NO_METADATA)),
  );
}

function denied(code: RpcCode, rest: Partial<AnsweredDecision> = {}): ReadCheckResponse {
  return http({ status: { code, message: 'why not' }, ...rest });
}

const headersOf = ({ deniedResponse }: ReadCheckResponse) =>
  Object.fromEntries((deniedResponse?.headers ?? []).map(({ header }) => [header.key, header.value]));

test('an allowed request leaves its proxy with the headers that the proxy has set, and with a receipt', (t) => {
  const passed = http({ status: { code: 'OK', message: '' } }, 'outbound');
  t.deepEqual([passed.okResponse?.headersToRemove, passed.okResponse?.headers], [[], []]);
  const charged = http({ status: { code: 'OK', message: '' }, receipt: 'r' }, 'outbound');
  t.like(charged.okResponse?.headers, [{ header: { key: 'x-mesh-charge-receipt', value: 'r' } }]);
});

test('an allowed request reaches the application without the headers between proxies', (t) => {
  const response = http({ status: { code: 'OK', message: '' } });
  t.is(response.status.code, 0);
  t.deepEqual(response.okResponse?.headersToRemove, ['x-mesh-attributes', 'x-mesh-charge-receipt']);
  t.falsy(response.deniedResponse);
});

const HTTP_STATUS: readonly (readonly [RpcCode, number, number])[] = [
  ['CANCELLED', 1, 499],
  ['UNKNOWN', 2, 500],
  ['INVALID_ARGUMENT', 3, 400],
  ['DEADLINE_EXCEEDED', 4, 504],
  ['NOT_FOUND', 5, 404],
  ['ALREADY_EXISTS', 6, 409],
  ['PERMISSION_DENIED', 7, 403],
  ['RESOURCE_EXHAUSTED', 8, 429],
  ['FAILED_PRECONDITION', 9, 400],
  ['ABORTED', 10, 409],
  ['OUT_OF_RANGE', 11, 400],
  ['UNIMPLEMENTED', 12, 501],
  ['INTERNAL', 13, 500],
  ['UNAVAILABLE', 14, 503],
  ['DATA_LOSS', 15, 500],
  ['UNAUTHENTICATED', 16, 401],
];

for (const [code, number, httpStatus] of HTTP_STATUS) {
  test(`a request that is denied with ${code} gets ${httpStatus} and the reason as text`, (t) => {
    const response = denied(code);
    t.is(response.status.code, number);
    t.is(response.deniedResponse?.status.code, httpStatus);
    t.is(response.deniedResponse?.body, 'why not');
    t.deepEqual(headersOf(response), { 'content-type': 'text/plain; charset=utf-8' });
    t.falsy(response.okResponse);
  });

  test(`a connection that is denied with ${code} gets that status alone`, (t) => {
    const bytes = codec.encodeCheckResponse(tcpCheckResponse({ code, message: 'why not' }, NO_METADATA));
    const response = readCheckResponse(bytes);
    t.deepEqual(response.status, { code: number, message: 'why not', details: [] } as ReadCheckResponse['status']);
    t.falsy(response.deniedResponse);
  });
}

const RETRY_AFTER: readonly (readonly [number, string])[] = [
  [0, '1'],
  [1, '1'],
  [1000, '1'],
  [1001, '2'],
  [59_000.5, '60'],
];

for (const [retryAfterMs, seconds] of RETRY_AFTER) {
  test(`a request that can succeed in ${retryAfterMs} ms gets retry-after ${seconds}`, (t) => {
    t.is(headersOf(denied('RESOURCE_EXHAUSTED', { retryAfterMs }))['retry-after'], seconds);
  });
}

test("a route directive's status and body take the place of those of the denial", (t) => {
  const routeDirective = { directResponseCode: 302, directResponseBody: 'elsewhere' };
  const { deniedResponse } = denied('PERMISSION_DENIED', { routeDirective });
  t.is(deniedResponse?.status.code, 302);
  t.is(deniedResponse?.body, 'elsewhere');
});

for (const directResponseCode of [0, 1, 100, 199, 600, 777, -5, 1.5e9]) {
  test(`a route directive's status ${directResponseCode} is no final status: the denial keeps its own`, (t) => {
    const { deniedResponse } = denied('PERMISSION_DENIED', { routeDirective: { directResponseCode } });
    t.is(deniedResponse?.status.code, 403);
  });
}
