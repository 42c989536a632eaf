import type { Socket } from 'node:net';

/** A unary gRPC call whose frames are the same each time but for the number of their stream. */
export interface PreparedCall {
  readonly headers: Buffer;
  /** The message with gRPC's five bytes before it. */
  readonly body: Buffer;
  /** Position in the body of a text of 16 digits that changes with each call. */
  readonly numberAt?: number;
}

/** How a call ended. `failed` is an error status, a reset stream or a lost connection. */
export type CallEnd =
  | { readonly type: 'answered'; readonly message: Buffer }
  | { readonly type: 'failed' }
  | { readonly type: 'timeout' };

/** One HTTP/2 connection for unary gRPC calls. */
export interface UnaryConnection {
  /** Calls that were sent and have not ended. */
  readonly inFlight: number;
  send(call: PreparedCall, onEnd: (end: CallEnd) => void): void;
  /** Resets a call's stream, as Envoy does when its time is over: calls older than that end with `timeout`. */
  expire(sentBeforeMs: number): void;
  close(): void;
}

const FRAME_HEADER_BYTES = 9;
const GRPC_PREFIX_BYTES = 5;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const TYPE = { data: 0, headers: 1, resetStream: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const;
const CANCEL = 8;
const DEFAULT_WINDOW_BYTES = 65_535;
const OWN_WINDOW_BYTES = 2 ** 30;

interface OpenCall {
  readonly sentMs: number;
  readonly onEnd: (end: CallEnd) => void;
  message: Buffer | undefined;
}

/**
 * @param fields additional gRPC metadata; values of at most 16,000 characters
 * @param numbered 16 digits in the message that change with each call
 */
export function prepareCall(
  path: string,
  message: Buffer,
  fields: Readonly<Record<string, string>> = {},
  numbered?: string,
): PreparedCall {
  const headers = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': '127.0.0.1',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...fields,
  };
  const prefix = Buffer.alloc(GRPC_PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return {
    headers: Buffer.concat(Object.entries(headers).map(([name, value]) => literalField(name, value))),
    body: Buffer.concat([prefix, message]),
    ...(numbered !== undefined && { numberAt: GRPC_PREFIX_BYTES + message.indexOf(numbered) }),
  };
}

/**
 * Speaks HTTP/2 on a socket, with or without TLS. Node's client would use as much of a core for each call as the
 * measured server does, so on a small machine it would distort the result.
 */
export function openUnaryConnection(socket: Socket, nowMs: () => number): UnaryConnection {
  const calls = new Map<number, OpenCall>();
  const waiting: (() => void)[] = [];
  let nextStream = 1;
  let windowBytes = DEFAULT_WINDOW_BYTES;
  let maxStreams = 100;
  let isOpen = true;
  let numbers = 1e15 + Math.floor(Math.random() * 9e14) * 10;

  const end = (stream: number, how: CallEnd): void => {
    const call = calls.get(stream);
    if (call === undefined) return;
    calls.delete(stream);
    call.onEnd(how);
  };
  const sendWaiting = (): void => {
    while (waiting.length > 0 && calls.size < maxStreams && windowBytes > 0) waiting.shift()?.();
  };
  const lose = (): void => {
    isOpen = false;
    for (const stream of [...calls.keys()]) end(stream, { type: 'failed' });
    for (const start of waiting.splice(0)) start();
  };
  const onFrame = (type: number, flags: number, stream: number, payload: Buffer): void => {
    switch (type) {
      case TYPE.data: {
        const call = calls.get(stream);
        if (call !== undefined) call.message = Buffer.from(payload.subarray(GRPC_PREFIX_BYTES));
        break;
      }
      case TYPE.headers: {
        if ((flags & FLAG.endStream) === 0) break;
        const message = calls.get(stream)?.message;
        end(stream, message === undefined ? { type: 'failed' } : { type: 'answered', message });
        break;
      }
      case TYPE.resetStream:
        end(stream, { type: 'failed' });
        break;
      case TYPE.settings:
        if ((flags & FLAG.ack) !== 0) break;
        for (let at = 0; at + 6 <= payload.length; at += 6) {
          if (payload.readUInt16BE(at) === 3) maxStreams = payload.readUInt32BE(at + 2);
        }
        socket.write(frame(TYPE.settings, FLAG.ack, 0, Buffer.alloc(0)));
        break;
      case TYPE.ping:
        if ((flags & FLAG.ack) === 0) socket.write(frame(TYPE.ping, FLAG.ack, 0, payload));
        break;
      case TYPE.windowUpdate:
        if (stream === 0) windowBytes += payload.readUInt32BE(0);
        break;
      case TYPE.goAway:
        socket.destroy();
        break;
    }
  };
  readFrames(socket, onFrame, sendWaiting);
  socket.on('close', lose);
  socket.on('error', () => socket.destroy());
  const increment = Buffer.alloc(4);
  increment.writeUInt32BE(OWN_WINDOW_BYTES);
  socket.write(
    Buffer.concat([PREFACE, frame(TYPE.settings, 0, 0, Buffer.alloc(0)), frame(TYPE.windowUpdate, 0, 0, increment)]),
  );

  const start = ({ headers, body, numberAt }: PreparedCall, sentMs: number, onEnd: OpenCall['onEnd']): void => {
    if (!isOpen) {
      onEnd({ type: 'failed' });
      return;
    }
    const stream = nextStream;
    nextStream += 2;
    windowBytes -= body.length;
    calls.set(stream, { sentMs, onEnd, message: undefined });
    socket.cork();
    socket.write(frame(TYPE.headers, FLAG.endHeaders, stream, headers));
    const data = frame(TYPE.data, FLAG.endStream, stream, body);
    if (numberAt !== undefined) data.write(String(numbers++), FRAME_HEADER_BYTES + numberAt, 'latin1');
    socket.write(data);
    process.nextTick(() => socket.uncork());
  };

  return {
    get inFlight() {
      return calls.size + waiting.length;
    },
    send(call, onEnd) {
      const sentMs = nowMs();
      waiting.push(() => start(call, sentMs, onEnd));
      sendWaiting();
    },
    expire(sentBeforeMs) {
      for (const [stream, { sentMs }] of calls) {
        if (sentMs >= sentBeforeMs) return;
        const reason = Buffer.alloc(4);
        reason.writeUInt32BE(CANCEL);
        socket.write(frame(TYPE.resetStream, 0, stream, reason));
        end(stream, { type: 'timeout' });
      }
    },
    close: () => socket.destroy(),
  };
}

function readFrames(
  socket: Socket,
  onFrame: (type: number, flags: number, stream: number, payload: Buffer) => void,
  onRead: () => void,
): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (at + FRAME_HEADER_BYTES <= bytes.length) {
      const length = bytes.readUIntBE(at, 3);
      const next = at + FRAME_HEADER_BYTES + length;
      if (next > bytes.length) break;
      const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
      onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, stream, bytes.subarray(at + FRAME_HEADER_BYTES, next));
      at = next;
    }
    rest = bytes.subarray(at);
    onRead();
  });
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, FRAME_HEADER_BYTES);
  return bytes;
}

/** A header field without indexing and without Huffman's code (RFC 7541, 6.2.2): no state on either side. */
function literalField(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), literalText(name), literalText(value)]);
}

function literalText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const length: number[] = [];
  if (bytes.length < 127) length.push(bytes.length);
  else {
    length.push(127);
    let left = bytes.length - 127;
    for (; left >= 128; left = Math.floor(left / 128)) length.push((left % 128) | 128);
    length.push(left);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
