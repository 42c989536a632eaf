import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { socketAddress } from '../../../envoy/addresses.js';
import { duration } from '../../../envoy/durations.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { composeListener, type ListenerParts } from '../../../envoy/listener-bytes.js';
import { httpInspectorFilter, tlsInspectorFilter } from '../../../envoy/listener-filters.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import type { ListenerFilter } from '../../../generated/envoy/config/listener/v3/ListenerFilter.js';
import { createMemo } from '../../../model/memo.js';
import type { MeshTraffic } from '../../../model/traffic/mesh-traffic.js';
import type { ListenerFacts } from '../listener-facts.js';
import { type ListenerLayout, layOutListener } from './listener-layout.js';
import type { ListenerPlan } from './listener-plan.js';
import { listenerSubject } from './listener-subject.js';
import type { OutboundChains } from './outbound-chains.js';

/** What all outbound listeners of a proxy have in common. */
export interface OutboundListenerContext {
  readonly mesh: MeshConfig;
  readonly traffic: MeshTraffic;
  readonly facts: ListenerFacts;
  /** False when the sidecar binds its ports itself (INTERCEPTION_MODE NONE). */
  readonly captured: boolean;
  /** NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND */
  readonly sniff: boolean;
  /** Further addresses of shared listeners: the other family's wildcard of a dual-stack proxy. */
  readonly additionalAddresses: readonly string[];
  /** Names all of the above except the mesh config and the traffic. */
  readonly key: string;
}

/** Builds the listener of a plan; remembered as long as it is made from the same services. */
export type OutboundListenerBuilder = (plan: ListenerPlan, context: OutboundListenerContext) => EncodedResource;

export function createOutboundListenerBuilder(
  encoder: MessageEncoder,
  chains: OutboundChains,
): OutboundListenerBuilder {
  const memo = createMemo<EncodedResource>();

  const build = (plan: ListenerPlan, context: OutboundListenerContext): EncodedResource => {
    const layout = layOutListener(plan, context);
    const encoded = layout.chains.map((chain) => chains.encode(chain, plan, context));
    const rest = layout.rest === undefined ? undefined : chains.encode(layout.rest, plan, context);
    const head = listenerHead(encoder, plan, layout, context);
    if (encoded.length === 0 && rest !== undefined) return composeListener(encoder, { head, chains: [rest] });
    return composeListener(encoder, { head, chains: encoded, defaultChain: rest });
  };

  return (plan, context) => {
    const subject = listenerSubject(plan);
    if (subject === undefined) return build(plan, context);
    const key = `${plan.name}|${subject.key}|${context.key}`;
    const clusters = subject.service && context.traffic.clustersOf(subject.service);
    return memo.of([context.mesh, clusters ?? context.mesh], key, () => build(plan, context));
  };
}

function listenerHead(
  encoder: MessageEncoder,
  plan: ListenerPlan,
  layout: ListenerLayout,
  { mesh, captured, additionalAddresses }: OutboundListenerContext,
): ListenerParts['head'] {
  const listenerFilters: ListenerFilter[] = [];
  if (layout.inspectTls) listenerFilters.push(tlsInspectorFilter(encoder));
  if (layout.inspectHttp) listenerFilters.push(httpInspectorFilter(encoder));
  return {
    name: plan.name,
    address: socketAddress(plan.bind, plan.port),
    ...(plan.shared && additionalAddresses.length > 0
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
    bindToPort: { value: !captured },
  };
}
