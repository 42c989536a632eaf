import type { Finding, FindingMetric } from '../../../model/finding.js';
import type { ListenerBinding } from './service-bindings.js';

/** A binding that an older one keeps from being served. */
export interface Conflict {
  readonly rejected: ListenerBinding;
  readonly rejectedAs: 'HTTP' | 'TCP';
  readonly acceptedAs: 'HTTP' | 'TCP';
  /** Hostnames of the oldest of those that were there before, or the name of a listener of the proxy's own. */
  readonly accepted: readonly string[];
  /** How many were there before, whether named or not. */
  readonly acceptedCount: number;
}

const METRICS: Readonly<Record<string, FindingMetric | undefined>> = {
  TCP_over_HTTP: 'nav_conflict_outbound_listener_tcp_over_current_http',
  TCP_over_TCP: 'nav_conflict_outbound_listener_tcp_over_current_tcp',
  HTTP_over_TCP: 'nav_conflict_outbound_listener_http_over_current_tcp',
};

/** A port may be shared by a thousand hosts; the message names the oldest and counts them all. */
export const MAX_NAMED_HOSTS = 10;

/**
 * The conflict as docs/reference/xds.md#listener-conflicts words it: `Listener=… Accepted<PROTO>=… Rejected<PROTO>=…
 * <PROTO>Services=<n>`.
 */
export function conflictFinding({ rejected, rejectedAs, acceptedAs, accepted, acceptedCount }: Conflict): Finding {
  const listener = `${rejected.bind}:${rejected.port.number}`;
  const hosts = `${accepted.join(',')}${acceptedCount > accepted.length ? ',…' : ''}`;
  const metric = METRICS[`${rejectedAs}_over_${acceptedAs}`] ?? 'nav_conflict_outbound_listener_tcp_over_current_tcp';
  return {
    metric,
    key: listener,
    object: rejected.service.source,
    message:
      `Listener=${listener} Accepted${acceptedAs}=${hosts} ` +
      `Rejected${rejectedAs}=${rejected.service.hostname} ${acceptedAs}Services=${acceptedCount}`,
  };
}
