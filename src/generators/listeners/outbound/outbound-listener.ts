import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { listenerAddress, socketAddress } from '../../../envoy/addresses.js';
import { duration } from '../../../envoy/durations.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { composeListener, type ListenerParts } from '../../../envoy/listener-bytes.js';
import { httpInspectorFilter, tlsInspectorFilter } from '../../../envoy/listener-filters.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import type { ListenerFilter } from '../../../generated/envoy/config/listener/v3/ListenerFilter.js';
import { createMemo } from '../../../model/memo.js';
import type { TrafficView } from '../../../model/traffic/traffic-view.js';
import type { Caller } from '../../../model/traffic/virtual-services/caller.js';
import type { ListenerDependencies } from '../listener-dependencies.js';
import { type ListenerLayout, layOutListener } from './listener-layout.js';
import type { ListenerPlan } from './listener-plan.js';
import type { OutboundChains } from './outbound-chains.js';
import type { ListenerBinding } from './service-bindings.js';

/** The inputs of all outbound listeners of a proxy. */
export interface OutboundListenerContext {
  readonly mesh: MeshConfig;
  readonly traffic: TrafficView;
  /** The proxy, as far as routes of connections read it. */
  readonly caller: Caller;
  readonly dependencies: ListenerDependencies;
  /** NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND */
  readonly sniff: boolean;
  /** Further addresses of redirected listeners at the wildcard: the other family's one of a dual-stack proxy. */
  readonly additionalAddresses: readonly string[];
  /** Names all of the above except the mesh config and the traffic. */
  readonly key: string;
}

/** Builds the listener of a plan; remembers it for as long as its services stay the same. */
export type OutboundListenerBuilder = (plan: ListenerPlan, context: OutboundListenerContext) => EncodedResource;

/** Keys have settings from the metadata of proxies, which peers can invent. */
const MAX_VARIANTS = 4_096;

export function createOutboundListenerBuilder(
  encoder: MessageEncoder,
  chains: OutboundChains,
): OutboundListenerBuilder {
  const memo = createMemo<EncodedResource>(MAX_VARIANTS);

  const build = (plan: ListenerPlan, context: OutboundListenerContext): EncodedResource => {
    const { sniff, traffic, caller } = context;
    const routesOf = ({ service, port }: ListenerBinding) => traffic.connectionsOf(service, port, caller);
    const layout = layOutListener(plan, { sniff, routesOf });
    const encoded = layout.chains.map((chain) => chains.encode(chain, plan, context));
    const rest = layout.rest === undefined ? undefined : chains.encode(layout.rest, plan, context);
    const head = listenerHead(encoder, plan, layout, context);
    if (encoded.length === 0 && rest !== undefined) return composeListener(encoder, { head, chains: [rest] });
    return composeListener(encoder, { head, chains: encoded, defaultChain: rest });
  };

  return (plan, context) => {
    const subject = listenerSubject(plan);
    if (subject === undefined) return build(plan, context);
    const key = `${plan.name}|${plan.captured}|${subject.key}|${context.key}`;
    const { traffic, caller, mesh } = context;
    const routes = subject.only && traffic.connectionsOf(subject.only.service, subject.only.port, caller);
    return memo.of([mesh, routes ?? mesh], key, () => build(plan, context));
  };
}

function listenerHead(
  encoder: MessageEncoder,
  plan: ListenerPlan,
  layout: ListenerLayout,
  { mesh, additionalAddresses }: OutboundListenerContext,
): ListenerParts['head'] {
  const listenerFilters: ListenerFilter[] = [];
  if (layout.inspectTls) listenerFilters.push(tlsInspectorFilter(encoder));
  if (layout.inspectHttp) listenerFilters.push(httpInspectorFilter(encoder));
  return {
    name: plan.name,
    address: listenerAddress(plan.bind, plan.port),
    ...(plan.shared && plan.captured && plan.bind === '0.0.0.0' && additionalAddresses.length > 0
      ? { additionalAddresses: additionalAddresses.map((it) => ({ address: socketAddress(it, plan.port) })) }
      : {}),
    ...(listenerFilters.length > 0
      ? {
          listenerFilters,
          listenerFiltersTimeout: duration(mesh.protocolDetectionTimeoutMs),
          continueOnListenerFiltersTimeout: true,
        }
      : {}),
    trafficDirection: 'OUTBOUND',
    bindToPort: { value: !plan.captured },
  };
}

/** The inputs of a listener beside its address. */
interface ListenerSubject {
  /**
   * The only binding in it; undefined for a listener whose route table is shared by host, which has the same content
   * for all services.
   */
  readonly only: ListenerBinding | undefined;
  /** What else it reads of them. */
  readonly key: string;
}

/** Undefined when several services are in the listener, each with a chain of its own. */
function listenerSubject({ whole, ranges, shared }: ListenerPlan): ListenerSubject | undefined {
  if (ranges.size > 0 || whole.byServerName.size > 1) return undefined;
  if (shared) {
    if (whole.byServerName.size > 0 || whole.rest !== undefined) return undefined;
    const grpcWeb = whole.http.some((binding) => binding.port.protocol === 'grpc-web');
    return { only: undefined, key: grpcWeb ? 'http|grpc-web' : 'http' };
  }
  const [tls] = whole.byServerName.values();
  if (tls !== undefined && whole.rest !== undefined) return undefined;
  const only = whole.rest ?? tls;
  return only === undefined ? undefined : { only, key: `${only.port.number}|${only.traffic}` };
}
