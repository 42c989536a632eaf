import { connect } from 'node:net';
import type { TcpExchange } from './calls.js';

/** Connects, sends, and returns the response when it contains `until`. */
export function exchangeTcp({
  address,
  port,
  send,
  until,
  encoding = 'utf8',
  timeoutMs = 30_000,
}: TcpExchange): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    let received = '';
    const fail = (why: string): void => {
      socket.destroy();
      reject(new Error(`TCP ${address}:${port}: ${why}; received ${JSON.stringify(received)}`));
    };
    socket.setTimeout(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
    socket.setEncoding(encoding);
    socket.on('connect', () => send !== '' && socket.write(send, encoding));
    socket.on('data', (piece: string) => {
      received += piece;
      if (!received.includes(until)) return;
      resolve(received);
      socket.destroy();
    });
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('closed'));
  });
}
