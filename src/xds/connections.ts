import type { Clock } from '../base/clock.js';
import { lacksDelta } from '../model/on-demand.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import { mutualTlsOfProxy } from '../model/security/mutual-tls.js';
import type { Distributor } from '../push/distributor.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import { createPeerLog } from '../telemetry/peer-log.js';
import type { ProxySession } from './proxy-session.js';

/** Log lines in 10 seconds about proxies that connect and disconnect. A whole mesh may share one address. */
const LINES_PER_PEER = 200;
const LINES_IN_ALL = 1_000;

/** The proxies that are connected to this instance. */
export interface Connections {
  /** Called when a session's node is known. */
  register(session: ProxySession): void;
  /** Called when a stream has ended, whether its node was known or not. */
  closed(session: ProxySession): void;
  /** Makes `<node id>-<counter>` (docs/reference/xds.md#requests-and-responses). */
  nextId(nodeId: string): string;
  list(): readonly ProxyConnection[];
  /** Their ids, for callers that look at one after the other: a list of ten thousand takes long. */
  ids(): readonly string[];
  find(connectionId: string): ProxySession | undefined;
}

export function createConnections(
  distributor: Distributor,
  metrics: PushMetrics,
  logger: Logger,
  clock: Clock,
): Connections {
  // A peer can open streams in a loop.
  const log = createPeerLog(logger, clock, { perPeer: LINES_PER_PEER, inAll: LINES_IN_ALL });
  const sessions = new Map<string, ProxySession>();
  let counter = 0;
  return {
    register: (session) => {
      sessions.set(session.id, session);
      distributor.add(session);
      metrics.connected(session.proxy?.id ?? '', session.proxy?.metadata.meshVersion ?? '');
      log.info(session.share.peer, { connection: session.id, proxies: sessions.size }, 'proxy connected');
      if (isStrictInVain(session, distributor)) {
        const remedy = 'connect it to the secured listener, with a certificate or a token of its workload';
        const message = 'proxy without a certificate accepts plaintext although mutual TLS is STRICT';
        log.warn(session.share.peer, { connection: session.id, remedy }, message);
      }
      if (isOnDemandInVain(session, distributor)) {
        const remedy = 'let its bootstrap use DELTA_GRPC, or switch on demand off for it';
        const message = 'on-demand proxy gets everything at once because it does not speak delta xDS';
        log.warn(session.share.peer, { connection: session.id, setting: 'onDemand', remedy }, message);
      }
    },
    closed: (session) => {
      distributor.remove(session);
      if (!sessions.delete(session.id)) return;
      metrics.disconnected(session.proxy?.id ?? '', session.proxy?.metadata.meshVersion ?? '');
      log.info(session.share.peer, { connection: session.id, proxies: sessions.size }, 'proxy disconnected');
    },
    nextId: (nodeId) => `${nodeId}-${++counter}`,
    list: () => [...sessions.values()].flatMap((session) => session.snapshot() ?? []),
    ids: () => [...sessions.keys()],
    find: (connectionId) => sessions.get(connectionId),
  };
}

function isOnDemandInVain({ proxy }: ProxySession, { context }: Distributor): boolean {
  return proxy !== undefined && context !== undefined && lacksDelta(context, proxy);
}

/** Whether mutual TLS is STRICT for a proxy that has no certificate. */
function isStrictInVain({ proxy }: ProxySession, { context }: Distributor): boolean {
  if (proxy === undefined || context === undefined || proxy.hasSecrets) return false;
  if (proxy.type !== 'sidecar' || proxy.metadata.interceptionMode === 'NONE') return false;
  const { mode, ports } = mutualTlsOfProxy(context, proxy);
  return mode === 'STRICT' || [...ports.values()].includes('STRICT');
}
