import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { socketAddress } from '../../envoy/addresses.js';
import { composeListener, encodeFilterChain } from '../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { type AddressFamilies, loopbackAddress } from '../address-families.js';
import type { ResourcePart, Scope } from '../generator.js';
import type { FilterFactory } from './filter-factory.js';
import type { ListenerDependencies } from './listener-dependencies.js';

export interface HttpProxyScope extends Scope {
  readonly dependencies: ListenerDependencies;
}

/** The route table of the forward proxy. */
export const HTTP_PROXY_ROUTE = 'http_proxy';

/** The forward-proxy listener for applications that set `http_proxy`; with mesh config proxyHttpPort above 0 only. */
export function createHttpProxyPart(encoder: MessageEncoder, filters: FilterFactory): ResourcePart<HttpProxyScope> {
  return {
    name: 'http-proxy',
    scope: (context, proxy) => {
      if (proxy.type !== 'sidecar' || context.mesh.proxyHttpPort <= 0) return undefined;
      const dependencies = filters.dependenciesOf(context, proxy);
      return { key: dependencies.key, dependencies };
    },
    generate: ({ mesh }, { dependencies }) => {
      const name = httpProxyListenerName(mesh, dependencies.families);
      const statPrefix = `outbound_${name}`;
      const options = { statPrefix, grpcWeb: false, routeName: HTTP_PROXY_ROUTE, forwardProxy: true };
      const chain = encodeFilterChain(encoder, { filters: [filters.outboundHttp(mesh, dependencies, options)] });
      const address = socketAddress(loopbackAddress(dependencies.families), mesh.proxyHttpPort);
      const head = { name, address, trafficDirection: 'OUTBOUND' } as const;
      return { resources: [composeListener(encoder, { head, chains: [chain] })], findings: [] };
    },
  };
}

export function httpProxyListenerName(mesh: MeshConfig, families: AddressFamilies): string {
  return `${loopbackAddress(families)}_${mesh.proxyHttpPort}`;
}
