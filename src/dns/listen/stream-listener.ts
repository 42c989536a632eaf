import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.js';
import { createTlsDetector } from '../../net/detect-tls.js';
import { SharedBudget } from '../../net/guard/shared-budget.js';
import { createTcpListener, type TcpListener } from '../../net/tcp-listener.js';
import { createTlsAcceptor, withAcceptor } from '../../net/tls-listener.js';
import type { TlsMaterialSource } from '../../net/tls-material.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { SubjectLog } from '../../telemetry/subject-log.js';
import { clientAddressOf } from '../client-address.js';
import type { ClientLimits } from '../client-limits.js';
import type { DnsResolver } from '../resolver.js';
import { createConnectionTurns } from './connection-turns.js';
import { type ConnectionBytes, serveConnection } from './stream-connection.js';

export interface StreamListenerParts {
  readonly resolver: DnsResolver;
  readonly limits: Pick<ClientLimits, 'takeConnection' | 'releaseConnection' | 'closedFor'>;
  /** Certificate for DNS over TLS; without one, TLS connections are closed. */
  readonly material: TlsMaterialSource;
  readonly idleMs: number;
  readonly metrics: Metrics;
  readonly log: SubjectLog;
  readonly clock: Clock;
}

/** Bytes of waiting queries and unread answers of all connections, and of those of one client. */
const BUDGET = { max: 64 << 20, maxPerGroup: 16 << 20 };

/**
 * DNS over TCP and TLS on one port. The first byte of a TLS connection would be the length of a query that is longer than
 * any query that is accepted.
 */
export function createStreamListener(parts: StreamListenerParts): TcpListener {
  const { resolver, limits, material, idleMs, metrics, log, clock } = parts;
  const budget = new SharedBudget<ConnectionBytes>(BUDGET, ({ group, socket }, over) => {
    if (over === 'all') limits.closedFor(group, 'bytes', BUDGET.max);
    else limits.closedFor(group, 'client-bytes', BUDGET.maxPerGroup);
    socket.destroy();
  });
  const turns = createConnectionTurns(clock);
  const serve = (socket: Socket, transport: 'tcp' | 'tls'): void => {
    const from = clientAddressOf(socket.remoteAddress ?? '');
    serveConnection(socket, { resolver, transport, from, idleMs, budget, turns, clock });
  };
  const acceptor = createTlsAcceptor(
    {
      material,
      clientCertificates: 'none',
      alpn: ['dot'],
      clock,
      onRefused: ({ peer, reason }) => {
        metrics.increment('nav_tls_refused_connections');
        log.warn(`tls ${reason}`, { peer, reason }, 'connection to the DNS listener failed');
      },
      onUnusableMaterial: (err) => log.warn('tls', { err }, 'certificate cannot be used by the DNS listener'),
    },
    (socket) => serve(socket, 'tls'),
  );
  const detect = createTlsDetector(
    clock,
    (socket, first) => (first === 'tls' ? acceptor.accept(socket) : serve(socket, 'tcp')),
    () => undefined,
    { timeoutMs: idleMs },
  );
  return withAcceptor(
    acceptor,
    createTcpListener((socket) => {
      const { client } = clientAddressOf(socket.remoteAddress ?? '');
      if (!limits.takeConnection(client)) {
        socket.destroy();
        return;
      }
      socket.once('close', () => limits.releaseConnection(client));
      detect(socket);
    }),
  );
}
