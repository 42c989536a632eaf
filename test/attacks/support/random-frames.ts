import { END_HEADERS, FRAME, grpcHeaders, headerBlock, http2Frame, PREFACE, SETTINGS } from './http2-frames.js';
import type { Random } from './random.js';
import { randomMessage } from './random-messages.js';

const END_STREAM = 1;
const PATHS = [
  '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
  '/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets',
  '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs',
  '/mesh.ca.v1.MeshCertificateService/CreateCertificate',
  '/envoy.service.auth.v3.Authorization/Check',
  '/grpc.health.v1.Health/Check',
  '/grpc.health.v1.Health/Watch',
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/no.such.Service/Method',
  '',
] as const;
const METHODS = ['POST', 'POST', 'POST', 'HEAD', 'GET', 'CONNECT', 'OPTIONS'] as const;
const CONTENT_TYPES = ['application/grpc', 'application/grpc', 'application/grpc+proto', 'text/plain', ''] as const;
const MORE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { 'grpc-timeout': '1n' },
  { 'grpc-timeout': 'never' },
  { 'grpc-encoding': 'gzip' },
  { authorization: 'Bearer a.b.c' },
  { 'x-bin': '%%%' },
  { 'x-Upper': 'refused' },
  { expect: '100-continue' },
  { 'content-length': '7' },
  { 'x-filler': 'x'.repeat(33_000) },
  { 'x-filler': 'x'.repeat(70_000) },
  { 'x-mesh-service': '\u00ed\u00a0\u0080', 'x-mesh-client-config': '{"service":"\\ud800"}' },
];
const MAX_FRAME_BYTES = 16_384;

/** The bytes of one connection: usually the preface, then up to 60 frames. */
export function randomConversation(random: Random): Buffer {
  const parts = random.chance(0.97) ? [PREFACE, random.chance(0.97) ? SETTINGS : Buffer.alloc(0)] : [];
  let lastStream = -1;
  const someStream = (): number =>
    random.chance(0.97) ? 1 + 2 * random.integer(1 + (lastStream + 1) / 2) : random.integer(9);
  const count = 1 + random.integer(60);
  for (let index = 0; index < count; index++) {
    const kind = random.integer(100);
    if (kind < 45) {
      if (lastStream < 0 || random.chance(0.97)) lastStream += 2;
      parts.push(...headers(lastStream, random));
    } else if (kind < 65)
      parts.push(http2Frame(FRAME.data, random.pick([0, END_STREAM, 9]), someStream(), randomMessage(random)));
    else if (kind < 82) parts.push(http2Frame(FRAME.rstStream, 0, someStream(), code(random)));
    else parts.push(rareFrame(someStream(), random));
  }
  return Buffer.concat(parts);
}

function headers(stream: number, random: Random): readonly Buffer[] {
  const fields = {
    ...grpcHeaders(random.pick(PATHS)),
    ':method': random.pick(METHODS),
    'content-type': random.pick(CONTENT_TYPES),
    ...random.pick(MORE_HEADERS),
  };
  const block = random.chance(0.98) ? headerBlock(fields) : random.bytes(30);
  const ending = random.pick([0, 0, END_STREAM]);
  const frames: Buffer[] = [];
  for (let at = 0; at < block.length; at += MAX_FRAME_BYTES) {
    const isLast = at + MAX_FRAME_BYTES >= block.length;
    const flags = (at === 0 ? ending : 0) | (isLast && random.chance(0.99) ? END_HEADERS : 0);
    const type = at === 0 ? FRAME.headers : FRAME.continuation;
    frames.push(http2Frame(type, flags, stream, block.subarray(at, at + MAX_FRAME_BYTES)));
  }
  return frames;
}

function rareFrame(stream: number, random: Random): Buffer {
  switch (random.integer(8)) {
    case 0:
      return http2Frame(FRAME.settings, random.pick([0, 0, 1]), 0, setting(random));
    case 1:
      return http2Frame(FRAME.ping, random.pick([0, 1]), 0, random.bytes(random.chance(0.95) ? 8 : 7));
    case 2:
      return http2Frame(FRAME.goaway, 0, 0, Buffer.concat([number(random.integer(9)), code(random), random.bytes(8)]));
    case 3:
      return http2Frame(
        FRAME.windowUpdate,
        0,
        random.pick([0, stream]),
        number(random.pick([1, 65_535, 0x7fff_ffff, 0])),
      );
    case 4:
      return http2Frame(FRAME.priority, 0, stream, random.bytes(5));
    case 5:
      return http2Frame(FRAME.pushPromise, END_HEADERS, stream, number(2));
    case 6:
      return http2Frame(FRAME.continuation, END_HEADERS, stream, Buffer.alloc(0));
    default:
      return http2Frame(
        random.integer(256),
        random.integer(256),
        random.pick([0, stream]),
        random.bytes(random.integer(20)),
      );
  }
}

/** Each setting with a value that is allowed, extreme or refused. */
function setting(random: Random): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(1 + random.integer(8), 0);
  bytes.writeUInt32BE(random.pick([0, 1, 100, 16_384, 65_535, 0x7fff_ffff, 0xffff_ffff]), 2);
  return bytes;
}

function code(random: Random): Buffer {
  return number(random.pick([0, 1, 2, 7, 8, 11, 99]));
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
