import { connect as connectTls, createServer } from 'node:tls';
import type { ServeTlsOptions, TlsAnswer, TlsExchange } from './calls.js';
import { listen, type RunningServer } from './running-server.js';

/** A TLS server that returns each piece it receives behind its name: `<name>: <piece>`. */
export function serveTlsEcho({
  certificate,
  key,
  applicationProtocols,
  clientRoots,
  tellsHandshake = false,
  ...options
}: ServeTlsOptions): Promise<RunningServer> {
  const server = createServer(
    {
      cert: certificate,
      key,
      ALPNProtocols: [...applicationProtocols],
      ...(clientRoots === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: clientRoots }),
    },
    (socket) => {
      const { subjectaltname = '' } = clientRoots === undefined ? {} : socket.getPeerCertificate();
      // False if the client sent none; the types know this only of the other side.
      const handshake = ` sni=${(socket as { servername?: unknown }).servername || ''} client=${subjectaltname}`;
      const name = tellsHandshake ? `${options.name}${handshake}` : options.name;
      socket.on('error', () => undefined);
      socket.on('data', (piece) => socket.write(`${name}: ${piece.toString()}`));
    },
  );
  return listen(server, options);
}

/**
 * Connects over TLS to any server, sends, and returns the response when it contains `until`, with the identity of the
 * server.
 */
export function exchangeTls({
  address,
  port,
  serverName,
  applicationProtocols,
  certificate,
  key,
  minVersion,
  maxVersion,
  ciphers,
  send,
  until,
  timeoutMs = 30_000,
}: TlsExchange): Promise<TlsAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host: address,
      port,
      servername: serverName,
      ALPNProtocols: [...applicationProtocols],
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
      ...(minVersion === undefined ? {} : { minVersion }),
      ...(maxVersion === undefined ? {} : { maxVersion }),
      ...(ciphers === undefined ? {} : { ciphers }),
      // Who answers is for the test to judge.
      rejectUnauthorized: false,
    });
    let received = '';
    const fail = (why: string): void => {
      socket.destroy();
      reject(new Error(`TLS ${address}:${port}: ${why}; received ${JSON.stringify(received)}`));
    };
    socket.setTimeout(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
    socket.setEncoding('utf8');
    socket.on('secureConnect', () => socket.write(send));
    socket.on('data', (piece: string) => {
      received += piece;
      if (!received.includes(until)) return;
      const { subjectaltname = '', serialNumber = '' } = socket.getPeerCertificate();
      resolve({
        ...{ received, serverNames: subjectaltname, serialNumber },
        applicationProtocol: socket.alpnProtocol || '',
        version: socket.getProtocol() ?? '',
        cipher: socket.getCipher().name,
      });
      socket.destroy();
    });
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('closed'));
  });
}
