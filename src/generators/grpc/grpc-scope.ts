import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { Caller } from '../../model/traffic/virtual-services/caller.js';
import type { Scope } from '../generator.js';

/** What the routes and listeners of a gRPC client depend on. */
export interface GrpcScope extends Scope {
  readonly traffic: TrafficView;
  readonly caller: Caller;
  readonly dnsDomain: string;
}

export function grpcScopeOf(context: PushContext, proxy: Proxy): GrpcScope {
  const { dnsDomain } = proxy;
  const traffic = context.trafficOf(proxy);
  const caller = traffic.callerOf(proxy);
  return { key: ['grpc', traffic.id, caller.key, dnsDomain].join('|'), traffic, caller, dnsDomain };
}
