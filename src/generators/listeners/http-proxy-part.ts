import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { socketAddress } from '../../envoy/addresses.js';
import { composeListener, encodeFilterChain } from '../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { type AddressFamilies, loopbackAddress } from '../address-families.js';
import type { ResourcePart, Scope } from '../generator.js';
import type { FilterFactory } from './filter-factory.js';
import type { ListenerFacts } from './listener-facts.js';

export interface HttpProxyScope extends Scope {
  readonly facts: ListenerFacts;
}

/** The route table of the forward proxy. */
export const HTTP_PROXY_ROUTE = 'http_proxy';

/** The forward-proxy listener for applications that set `http_proxy`; with mesh config proxyHttpPort above 0 only. */
export function createHttpProxyPart(encoder: MessageEncoder, filters: FilterFactory): ResourcePart<HttpProxyScope> {
  return {
    name: 'http-proxy',
    scope: (context, proxy) => {
      if (proxy.type !== 'sidecar' || context.mesh.proxyHttpPort <= 0) return undefined;
      const facts = filters.factsOf(context, proxy);
      return { key: facts.key, facts };
    },
    generate: ({ mesh }, { facts }) => {
      const name = httpProxyListenerName(mesh, facts.families);
      const statPrefix = `outbound_${name}`;
      const options = { statPrefix, grpcWeb: false, routeName: HTTP_PROXY_ROUTE, forwardProxy: true };
      const chain = encodeFilterChain(encoder, { filters: [filters.outboundHttp(mesh, facts, options)] });
      const address = socketAddress(loopbackAddress(facts.families), mesh.proxyHttpPort);
      const head = { name, address, trafficDirection: 'OUTBOUND' } as const;
      return { resources: [composeListener(encoder, { head, chains: [chain] })], findings: [] };
    },
  };
}

export function httpProxyListenerName(mesh: MeshConfig, families: AddressFamilies): string {
  return `${loopbackAddress(families)}_${mesh.proxyHttpPort}`;
}
