/** HTTP/2 frames as bytes, for peers that Node's client would not let be so rude. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const END_HEADERS = 4;

export function http2Frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(9 + payload.length);
  frame.writeUIntBE(payload.length, 0, 3);
  frame[3] = type;
  frame[4] = flags;
  frame.writeUInt32BE(stream, 5);
  frame.set(payload, 9);
  return frame;
}

export const SETTINGS = http2Frame(FRAME.settings, 0, 0, Buffer.alloc(0));
export const PING = http2Frame(FRAME.ping, 0, 0, Buffer.alloc(8));
export const CANCEL = Buffer.from([0, 0, 0, 8]);

/** A header list in HPACK without any compression. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), hpackText(name), hpackText(value)]),
  );
}

export function grpcHeaders(path: string): Readonly<Record<string, string>> {
  return {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'attacker',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
}

function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest: number[] = [127];
  let left = bytes.length - 127;
  while (left >= 128) {
    rest.push((left % 128) + 128);
    left = Math.floor(left / 128);
  }
  rest.push(left);
  return Buffer.concat([Buffer.from(rest), bytes]);
}
