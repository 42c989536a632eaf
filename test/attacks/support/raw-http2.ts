import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

export interface Http2Address {
  readonly host: string;
  readonly port: number;
  /** The loopback address that the connection comes from, such as 127.0.0.3. */
  readonly from?: string;
  readonly tls?: {
    readonly ca: string;
    readonly servername: string;
    readonly cert?: string;
    readonly key?: string;
  };
}

/** Opens an HTTP/2 session below gRPC, from an address of the caller's choice. Errors of the session are ignored. */
export function openHttp2({ host, port, from, tls }: Http2Address): ClientHttp2Session {
  const socketOptions = { host, port, ...(from === undefined ? {} : { localAddress: from }) };
  const createConnection = (): ReturnType<typeof connectTcp> | TLSSocket =>
    tls === undefined ? connectTcp(socketOptions) : connectTls({ ...socketOptions, ...tls, ALPNProtocols: ['h2'] });
  const session = connect(`${tls === undefined ? 'http' : 'https'}://${host}:${port}`, { createConnection });
  session.on('error', () => undefined);
  return session;
}

/** A gRPC message with its five bytes in front. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** Begins a gRPC call. The caller frames its messages with grpcFrame. */
export function openGrpcCall(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  return stream;
}

/** Splits the received data of a call into gRPC messages. */
export function onGrpcMessage(stream: ClientHttp2Stream, take: (message: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const length = rest.readUInt32BE(1);
      take(rest.subarray(5, 5 + length));
      rest = rest.subarray(5 + length);
    }
  });
}

/** One unary call. Rejects with the status and message of a failed one. */
export function callUnary(
  session: ClientHttp2Session,
  path: string,
  message: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = openGrpcCall(session, path, headers);
    let answer: Buffer | undefined;
    let status = 'no status';
    const readStatus = (fields: Readonly<Record<string, unknown>>): void => {
      const code = fields['grpc-status'];
      if (code !== undefined) status = `${code} ${fields['grpc-message'] ?? ''}`.trim();
    };
    onGrpcMessage(stream, (bytes) => {
      answer = Buffer.from(bytes);
    });
    stream.on('response', readStatus);
    stream.on('trailers', readStatus);
    stream.on('close', () => {
      if (answer !== undefined && /^0\b/.test(status)) resolve(answer);
      else reject(new Error(`${path}: ${status}`));
    });
    stream.end(grpcFrame(message));
  });
}
