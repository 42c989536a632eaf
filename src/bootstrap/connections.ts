import type { ProxyConnection } from '../model/proxy-connection.js';
import { mutualTlsOfProxy } from '../model/security/mutual-tls-of-proxy.js';
import type { Distributor } from '../push/distributor.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import type { ProxySession } from '../xds/proxy-session.js';

/** The proxies that are connected to this instance. */
export interface Connections {
  /** Called when a session's node is known. */
  register(session: ProxySession): void;
  /** Called when a stream has ended, whether its node was known or not. */
  closed(session: ProxySession): void;
  /** Makes `<node id>-<counter>` (BEHAVIOUR 5, "Request handling"). */
  nextId(nodeId: string): string;
  list(): readonly ProxyConnection[];
  find(connectionId: string): ProxySession | undefined;
}

export function createConnections(distributor: Distributor, metrics: PushMetrics, logger: Logger): Connections {
  const sessions = new Map<string, ProxySession>();
  let counter = 0;
  return {
    register: (session) => {
      sessions.set(session.id, session);
      distributor.add(session);
      metrics.connected(session.proxy?.id ?? '', session.proxy?.metadata.meshVersion ?? '');
      logger.info({ connection: session.id, proxies: sessions.size }, 'Proxy connected');
      if (isStrictInVain(session, distributor)) {
        const remedy = 'connect it to the secured listener, with a certificate or a token of its workload';
        logger.warn({ connection: session.id, remedy }, 'Proxy without a certificate takes plaintext, although STRICT');
      }
    },
    closed: (session) => {
      distributor.remove(session);
      if (!sessions.delete(session.id)) return;
      metrics.disconnected(session.proxy?.id ?? '', session.proxy?.metadata.meshVersion ?? '');
      logger.info({ connection: session.id, proxies: sessions.size }, 'Proxy disconnected');
    },
    nextId: (nodeId) => `${nodeId}-${++counter}`,
    list: () => [...sessions.values()].flatMap((session) => session.snapshot() ?? []),
    find: (connectionId) => sessions.get(connectionId),
  };
}

/** What is to take nothing but mutual TLS, and cannot. */
function isStrictInVain({ proxy }: ProxySession, { context }: Distributor): boolean {
  if (proxy === undefined || context === undefined || proxy.hasSecrets) return false;
  if (proxy.type !== 'sidecar' || proxy.metadata.interceptionMode === 'NONE') return false;
  const { mode, ports } = mutualTlsOfProxy(context, proxy);
  return mode === 'STRICT' || [...ports.values()].includes('STRICT');
}
