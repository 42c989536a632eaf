import type { Service } from '../../../model/service.js';
import type { ListenerPlan } from './listener-plan.js';

/** What a listener's content follows from, beside its address. */
export interface ListenerSubject {
  /** The only service in it; undefined for a table shared by host, whose listener is the same for any services. */
  readonly service: Service | undefined;
  /** What else it reads of them. */
  readonly key: string;
}

/** Undefined when several services are in the listener, each with a chain of its own. */
export function listenerSubject({ whole, ranges, shared }: ListenerPlan): ListenerSubject | undefined {
  if (ranges.size > 0 || whole.byServerName.size > 1) return undefined;
  if (shared) {
    if (whole.byServerName.size > 0 || whole.rest !== undefined) return undefined;
    const grpcWeb = whole.http.some((claim) => claim.port.protocol === 'grpc-web');
    return { service: undefined, key: grpcWeb ? 'http|grpc-web' : 'http' };
  }
  const [tls] = whole.byServerName.values();
  if (tls !== undefined && whole.rest !== undefined) return undefined;
  const only = whole.rest ?? tls;
  return only === undefined ? undefined : { service: only.service, key: only.port.protocol };
}
