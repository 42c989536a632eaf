import type { Random } from './random.js';

const METHODS = ['GET', 'POST', 'HEAD', 'CONNECT', 'OPTIONS', 'PUT', 'TRACE', 'PRI'] as const;
const PATHS = [
  '/ready',
  '/metrics',
  '/version',
  '/validate',
  '/inject',
  '/inject/%zz',
  '/debug/config_dump?proxyID=%ED%A0%80',
  '/debug/syncz',
  '*',
  'http://[',
  '//',
  '/%',
] as const;
const HEADERS = [
  'Host: a',
  'Host: b',
  'Connection: keep-alive',
  'Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
  'Connection: upgrade\r\nUpgrade: websocket',
  'Expect: 100-continue',
  'Expect: the unexpected',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, gzip',
  'Content-Length: 5',
  'Content-Length: -5',
  'Content-Type: application/json',
  'Accept-Encoding: gzip, br',
  'X: \u0000',
  `X-Filler: ${'x'.repeat(20_000)}`,
] as const;
const BODIES = ['', '5\r\n{"a":\r\n0\r\n\r\n', '{"a"}', '\uffff', '{"request":{"uid":"\\ud800"}}'] as const;

/** Up to eight HTTP/1 requests in a row, whole or not, allowed or not. */
export function randomRequests(random: Random): Buffer {
  const requests = Array.from({ length: 1 + random.integer(8) }, () => {
    const headers = Array.from({ length: random.integer(5) }, () => random.pick(HEADERS));
    const version = random.pick(['1.1', '1.1', '1.1', '1.0', '9.9']);
    const head = [`${random.pick(METHODS)} ${random.pick(PATHS)} HTTP/${version}`, 'Host: a', ...headers];
    return `${head.join('\r\n')}\r\n\r\n${random.pick(BODIES)}`;
  });
  return random.chance(0.95) ? Buffer.from(requests.join('')) : random.bytes(200);
}
