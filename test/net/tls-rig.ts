import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.js';
import { createTlsListener, type RefusedConnection, type TlsListenerSettings } from '../../src/net/tls-listener.js';
import type { TlsMaterial } from '../../src/net/tls-material.js';
import { createTestAuthority, type TestAuthority } from '../support/certificate-issuer.js';

/** A TLS listener on a port that the system chooses, with the results of its connections. */
export interface TlsRig {
  readonly authority: TestAuthority;
  readonly port: number;
  readonly taken: TLSSocket[];
  readonly refused: RefusedConnection[];
  readonly unusable: unknown[];
  use(material: TlsMaterial | undefined): void;
  /** Result of a client's connection: `taken` after the server says hello, else why it ended. */
  attempt(options?: ConnectionOptions): Promise<string>;
  /** A client with an accepted connection. @param onSession called with data for resumption */
  connect(options?: ConnectionOptions, onSession?: (session: Buffer) => void): Promise<TLSSocket>;
  connectPlain(): Promise<Socket>;
}

export const SPIFFE_ID = 'spiffe://cluster.local/ns/shop/sa/cart';

export function materialOf(authority: TestAuthority, clientRoots = [authority.certificate]): TlsMaterial {
  const { certificate, key } = authority.issue({ dnsNames: ['meshd.test'] });
  return { certificate: { certificateChain: certificate, privateKey: key }, clientRoots };
}

export async function createTlsRig(
  t: ExecutionContext,
  overrides: Partial<TlsListenerSettings> = {},
  take: (socket: TLSSocket) => void = (socket) => socket.write('hello'),
): Promise<TlsRig> {
  const authority = createTestAuthority('mesh root');
  let material: TlsMaterial | undefined = materialOf(authority);
  const listeners = new Set<() => void>();
  const taken: TLSSocket[] = [];
  const refused: RefusedConnection[] = [];
  const unusable: unknown[] = [];
  const listener = createTlsListener(
    {
      material: {
        current: () => material,
        onChange: (changed) => {
          listeners.add(changed);
          return () => listeners.delete(changed);
        },
      },
      clientCertificates: 'optional',
      alpn: ['h2'],
      clock: systemClock,
      onRefused: (refusal) => refused.push(refusal),
      onUnusableMaterial: (error) => unusable.push(error),
      ...overrides,
    },
    (socket) => {
      taken.push(socket);
      socket.on('error', () => undefined);
      take(socket);
    },
  );
  const port = await listener.listen('127.0.0.1', 0);
  const clients: Socket[] = [];
  t.teardown(async () => {
    for (const client of clients) client.destroy();
    listener.hangUp();
    await listener.close();
  });
  const open = (options: ConnectionOptions): TLSSocket => {
    const client = connect({
      host: '127.0.0.1',
      port,
      servername: 'meshd.test',
      ca: [authority.certificate],
      ALPNProtocols: ['h2'],
      ...options,
    });
    clients.push(client);
    return client;
  };
  const attempt = (client: TLSSocket): Promise<string> =>
    new Promise((resolve) => {
      client.once('data', () => resolve('taken'));
      client.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      client.once('close', () => resolve('closed'));
    });
  return {
    authority,
    port,
    taken,
    refused,
    unusable,
    use: (changed) => {
      material = changed;
      for (const listener of listeners) listener();
    },
    attempt: (options = {}) => attempt(open(options)),
    connect: async (options = {}, onSession = () => undefined) => {
      const client = open(options);
      client.on('session', onSession);
      const outcome = await attempt(client);
      if (outcome !== 'taken') throw new Error(`the connection was not taken: ${outcome}`);
      return client;
    },
    connectPlain: async () => {
      const client = connectTcp(port, '127.0.0.1');
      client.on('error', () => undefined);
      clients.push(client);
      await once(client, 'connect');
      return client;
    },
  };
}
