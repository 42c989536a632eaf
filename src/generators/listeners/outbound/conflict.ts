import type { Finding, FindingMetric } from '../../../model/finding.js';
import type { ListenerBinding } from './service-bindings.js';

/** A binding that is not served because of an older one. */
export interface Conflict {
  readonly rejected: ListenerBinding;
  readonly rejectedAs: 'HTTP' | 'TCP';
  readonly acceptedAs: 'HTTP' | 'TCP';
  /** Hostnames of the oldest bindings that are served, or the name of a listener of the proxy itself. */
  readonly accepted: readonly string[];
  /** Number of bindings that are served, including those that the message does not name. */
  readonly acceptedCount: number;
  /** A listener of the proxy itself has the address, and no service can. Default: another service has it. */
  readonly isReserved?: boolean;
}

const METRICS: Readonly<Record<string, FindingMetric | undefined>> = {
  TCP_over_HTTP: 'nav_conflict_outbound_listener_tcp_over_current_http',
  TCP_over_TCP: 'nav_conflict_outbound_listener_tcp_over_current_tcp',
  HTTP_over_TCP: 'nav_conflict_outbound_listener_http_over_current_tcp',
};

/** A thousand hosts may share a port: the message names the oldest and counts all. */
export const MAX_NAMED_HOSTS = 10;

/**
 * The message of a conflict (docs/reference/xds.md#listener-conflicts): `Listener=… Accepted<PROTO>=… Rejected<PROTO>=…
 * <PROTO>Services=<n>`.
 */
export function conflictFinding(conflict: Conflict): Finding {
  const { rejected, rejectedAs, acceptedAs, accepted, acceptedCount, isReserved } = conflict;
  const { bind, listenerPort } = rejected;
  const listener = listenerPort === 0 ? bind : `${bind}:${listenerPort}`;
  const hosts = `${accepted.join(',')}${acceptedCount > accepted.length ? ',…' : ''}`;
  const metric = isReserved ? 'nav_invalid_out_listeners' : METRICS[`${rejectedAs}_over_${acceptedAs}`];
  return {
    metric: metric ?? 'nav_conflict_outbound_listener_tcp_over_current_tcp',
    key: listener,
    object: rejected.service.source,
    message:
      `Listener=${listener} Accepted${acceptedAs}=${hosts} ` +
      `Rejected${rejectedAs}=${rejected.service.hostname} ${acceptedAs}Services=${acceptedCount}`,
  };
}
