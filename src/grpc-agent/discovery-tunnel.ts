import { chmod, rm } from 'node:fs/promises';
import { createServer, isIP, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { type ConnectionOptions, checkServerIdentity, connect } from 'node:tls';
import type { Clock } from '../base/clock.js';
import { scheduleAt } from '../ca/schedule-at.js';
import type { ListenAddress } from '../net/listen-address.js';
import type { Logger } from '../telemetry/logger.js';
import type { CertificateTexts } from './certificate-folder.js';

/** What a connection to the control plane shows and verifies. */
export interface TunnelCertificate extends CertificateTexts {
  readonly notAfter: Date;
}

export interface DiscoveryTunnelOptions {
  /** Path of the Unix socket. A socket of an earlier process at this path is replaced. */
  readonly socket: string;
  /** The secured listener of the control plane. */
  readonly address: ListenAddress;
  /** Name that the certificate of the control plane must have; empty: the host of `address`. */
  readonly serverName: string;
  /** Called for each connection; undefined while there is no certificate. */
  readonly certificate: () => TunnelCertificate | undefined;
  readonly clock: Clock;
  /** Scope `default`. Never gets keys. */
  readonly logger: Logger;
}

/**
 * Connects the gRPC libraries of a pod with the control plane. A library sends HTTP/2 in plaintext to the Unix socket, and
 * the tunnel passes the bytes on over TLS with the certificate of the pod: not every library can do that itself.
 */
export interface DiscoveryTunnel {
  /** @throws the error of the system, which names the path */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Channels of a pod to the control plane. A library has one for each of its clients of xDS. */
const MAX_CONNECTIONS = 256;
/** Applications may run as any user, and only containers of the pod mount the volume. */
const SOCKET_MODE = 0o666;
const CONNECT_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 30_000;

export function createDiscoveryTunnel(options: DiscoveryTunnelOptions): DiscoveryTunnel {
  const { socket: path, clock, logger } = options;
  const sockets = new Set<Socket>();
  let isFailing = false;

  const failed = (err: Error): void => {
    if (!isFailing)
      logger.warn({ err }, 'connection of a gRPC library to the control plane failed, the library retries');
    isFailing = true;
  };

  const server = createServer((library) => {
    const certificate = options.certificate();
    if (certificate === undefined) {
      library.destroy();
      failed(new Error('there is no certificate yet'));
      return;
    }
    const upstream = connect(connectionOf(options, certificate));
    for (const each of [library, upstream]) {
      sockets.add(each);
      each.once('close', () => sockets.delete(each));
    }
    let isConnected = false;
    upstream.once('secureConnect', () => {
      isConnected = true;
      upstream.setTimeout(0).setKeepAlive(true, KEEP_ALIVE_MS);
      if (isFailing) logger.info({}, 'gRPC libraries are connected to the control plane again');
      isFailing = false;
    });
    upstream.setTimeout(CONNECT_TIMEOUT_MS, () => {
      upstream.destroy(new Error(`the control plane did not answer within ${CONNECT_TIMEOUT_MS} ms`));
    });
    // The library connects again, with the certificate of that time.
    const cancelEnd = scheduleAt(clock, certificate.notAfter, () => upstream.destroy());
    pipeline(library, upstream, library, (error) => {
      cancelEnd();
      upstream.destroy();
      library.destroy();
      // One of both sides has closed the connection, as always at the end.
      const isEnd = error?.code === undefined || error.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!isConnected || !isEnd) failed(error ?? new Error('the control plane closed the connection'));
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('drop', () => failed(new Error(`there are ${MAX_CONNECTIONS} connections already`)));

  return {
    start: async () => {
      await rm(path, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(path, () => resolve(void server.off('error', reject)));
      });
      await chmod(path, SOCKET_MODE);
    },
    stop: async () => {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const each of sockets) each.destroy();
      await closed;
    },
  };
}

function connectionOf(
  { address, serverName }: Pick<DiscoveryTunnelOptions, 'address' | 'serverName'>,
  { roots, certificateChain, privateKey }: TunnelCertificate,
): ConnectionOptions {
  const name = serverName === '' ? address.host : serverName;
  return {
    ...address,
    ...{ ca: roots, cert: certificateChain, key: privateKey },
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: (_host, peer) => checkServerIdentity(name, peer),
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
  };
}
