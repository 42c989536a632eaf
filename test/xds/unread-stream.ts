import { type ClientHttp2Session, connect } from 'node:http2';
import { discoveryRequest, type RequestFields } from './session-rig.js';

/** Opens a stream over bare HTTP/2 whose window never opens, and sends one request, or the same many times. */
export async function openUnreadStream(
  port: number,
  path: string,
  request: RequestFields,
  times = 1,
): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 1024 } });
  session.on('error', () => undefined);
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => undefined);
  stream.pause();
  const message = discoveryRequest(request);
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  for (let sent = 0; sent < times; sent++) stream.write(frame);
  await new Promise((resolve) => stream.once('response', resolve));
  return session;
}
