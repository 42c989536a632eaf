import type { Random } from './random.js';

const TYPES = [
  'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  'type.googleapis.com/envoy.config.listener.v3.Listener',
  'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  'type.googleapis.com/no.such.Type',
] as const;
/** Half of a surrogate pair, as no UTF-8 has it: decoders that are not strict make a string of it that cannot be sent. */
const HALF_SURROGATE = Buffer.from([0xed, 0xa0, 0x80]);
const NUMBERED_FIELDS = 10;
const MAX_DEPTH = 3;

/** Bytes for a DATA frame: whole gRPC messages, most of the time; then parts, or frames that lie about their length. */
export function randomMessage(random: Random): Buffer {
  const messages = Array.from({ length: 1 + random.integer(3) }, () => {
    const body = random.chance(0.8) ? randomFields(random, 0) : random.bytes(random.integer(50));
    const prefix = Buffer.alloc(5);
    prefix[0] = random.chance(0.95) ? 0 : random.integer(256);
    prefix.writeUInt32BE(random.chance(0.95) ? body.length : random.integer(2 ** 32), 1);
    return Buffer.concat([prefix, body]);
  });
  const bytes = Buffer.concat(messages).subarray(0, 16_384);
  return random.chance(0.8) ? bytes : bytes.subarray(0, random.integer(bytes.length));
}

/** Any message of Protobuf: numbered fields with texts, numbers, and messages of the same kind. */
function randomFields(random: Random, depth: number): Buffer {
  const fields = Array.from({ length: random.integer(6) }, () => {
    const number = 1 + random.integer(NUMBERED_FIELDS);
    if (random.chance(0.2)) return Buffer.from([number << 3, random.integer(128)]);
    const isMessage = depth < MAX_DEPTH && random.chance(0.4);
    const value = isMessage ? randomFields(random, depth + 1) : randomText(random);
    return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(value.length), value]);
  });
  return Buffer.concat(fields);
}

function randomText(random: Random): Buffer {
  switch (random.integer(7)) {
    case 0:
    case 1:
      return Buffer.from(random.pick(TYPES));
    case 2:
      return HALF_SURROGATE;
    case 3:
      return Buffer.from('sidecar~10.0.0.1~books-1.shop~shop.svc.cluster.local');
    case 4:
      return Buffer.from(`${random.pick(TYPES)}\r\n\u0000`);
    case 5:
      return Buffer.from('x'.repeat(random.integer(300)));
    default:
      return random.bytes(random.integer(20));
  }
}

function varint(value: number): Buffer {
  return value < 128 ? Buffer.from([value]) : Buffer.from([(value & 127) | 128, value >> 7]);
}
