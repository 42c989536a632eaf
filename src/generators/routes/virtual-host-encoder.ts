import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { frameField, type MessageEncoder } from '../../envoy/message-encoder.js';
import type { VirtualHost } from '../../generated/envoy/config/route/v3/VirtualHost.js';
import { createIdentityMemo } from '../identity-memo.js';
import type { GeneratorSettings } from '../settings.js';
import type { ServicePort } from '../view-index.js';
import { buildDefaultRetryPolicy, buildDefaultRoute } from './default-route.js';
import { buildFallbackVirtualHost } from './fallback-virtual-host.js';
import { hostRelation } from './host-forms.js';
import { virtualHostDomains } from './virtual-host-domains.js';

/** A virtual host as a field of its route table. */
export interface EncodedVirtualHost {
  /** In lower case. */
  readonly domains: readonly string[];
  readonly field: Buffer;
}

/** Encodes virtual hosts, each once for as long as its service stays the same. */
export interface VirtualHostEncoder {
  /** @param withoutPort whether authorities without a port mean this port */
  encode(mesh: MeshConfig, target: ServicePort, dnsDomain: string, withoutPort: boolean): EncodedVirtualHost;
  /** The same with other domains. */
  encodeWith(mesh: MeshConfig, target: ServicePort, domains: readonly string[]): Buffer;
  fallback(mesh: MeshConfig): Buffer;
}

const VIRTUAL_HOST = 'type.googleapis.com/envoy.config.route.v3.VirtualHost';
const ROUTE = 'type.googleapis.com/envoy.config.route.v3.Route';
const VIRTUAL_HOSTS_FIELD = 2;
const ROUTES_FIELD = 3;

export function createVirtualHostEncoder(encoder: MessageEncoder, settings: GeneratorSettings): VirtualHostEncoder {
  const routes = createIdentityMemo<Buffer>();
  const hosts = createIdentityMemo<EncodedVirtualHost>();
  const fallbacks = createIdentityMemo<Buffer>();
  const retryPolicy = buildDefaultRetryPolicy(encoder);

  const encodeWith = (mesh: MeshConfig, { service, port }: ServicePort, domains: readonly string[]): Buffer => {
    // One route serves all the domains that proxies of different namespaces know the service by.
    const route = routes.remember(mesh, service, String(port.number), () => {
      const defaultRoute = buildDefaultRoute(service, port, retryPolicy, settings.defaultRequestTimeoutMs);
      return frameField(ROUTES_FIELD, encoder.encode(ROUTE, defaultRoute));
    });
    const head: VirtualHost = { name: `${service.hostname}:${port.number}`, domains: [...domains] };
    return frameField(VIRTUAL_HOSTS_FIELD, Buffer.concat([encoder.encode(VIRTUAL_HOST, head), route]));
  };

  return {
    encodeWith,
    encode: (mesh, target, dnsDomain, withoutPort) => {
      const { service, port } = target;
      const key = `${port.number}|${hostRelation(service.hostname, dnsDomain)}|${withoutPort}`;
      return hosts.remember(mesh, service, key, () => {
        const domains = virtualHostDomains(service, { dnsDomain, port: port.number, withoutPort });
        return { domains, field: encodeWith(mesh, target, domains) };
      });
    },
    fallback: (mesh) =>
      fallbacks.remember(mesh, mesh, '', () =>
        frameField(VIRTUAL_HOSTS_FIELD, encoder.encode(VIRTUAL_HOST, buildFallbackVirtualHost(mesh))),
      ),
  };
}
