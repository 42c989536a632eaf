import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { frameField, type MessageEncoder } from '../../envoy/message-encoder.js';
import type { VirtualHost as EnvoyVirtualHost } from '../../generated/envoy/config/route/v3/VirtualHost.js';
import { createMemo } from '../../model/memo.js';
import type { Service } from '../../model/service.js';
import type { HttpRoute, VirtualHost } from '../../model/traffic/http-route.js';
import type { UnknownTraffic } from '../../model/traffic/unknown-destinations.js';
import { OUTBOUND_CLUSTERS } from '../destination-names.js';
import type { DestinationPlan } from '../plugins/route-destinations.js';
import type { TableHost } from './composed-table.js';
import { buildHttpRoute } from './http/http-route.js';
import { hostRelationTo, virtualHostDomains, virtualHostNames } from './virtual-host-domains.js';

/** A virtual host of any table that has its domains. */
export interface EncodedVirtualHost extends TableHost {
  /**
   * The domains with their port, in lower case. Domains without a port mean the same port throughout a table, so two
   * virtual hosts conflict exactly if they share one of these.
   */
  readonly authorities: readonly string[];
}

/** One virtual host of a table. */
export interface HostTarget {
  readonly hostname: string;
  /** Undefined for a host that is no service. */
  readonly service: Service | undefined;
  /** Of authorities: a Sidecar's listener may have another port than the service. */
  readonly port: number;
  /** Whether authorities without a port mean this port. */
  readonly withoutPort: boolean;
  readonly host: VirtualHost;
}

/** Encodes the virtual hosts of one table. */
export interface HostEncoder {
  encode(target: HostTarget): EncodedVirtualHost;
  /** Without the authorities of other virtual hosts; undefined when none is left. */
  encodeWithout(target: HostTarget, authorities: ReadonlySet<string>): Buffer | undefined;
}

/** Encodes virtual hosts, each once for as long as its service stays the same. */
export interface VirtualHostEncoder {
  /** For proxies of one DNS domain. @param plan the additions of plugins */
  encoderFor(mesh: MeshConfig, dnsDomain: string, plan: DestinationPlan): HostEncoder;
  fallback(mesh: MeshConfig, unknown: UnknownTraffic, plan: DestinationPlan): TableHost;
}

const VIRTUAL_HOST = 'type.googleapis.com/envoy.config.route.v3.VirtualHost';
const ROUTE = 'type.googleapis.com/envoy.config.route.v3.Route';
const VIRTUAL_HOSTS_FIELD = 2;
const ROUTES_FIELD = 3;

export function createVirtualHostEncoder(encoder: MessageEncoder): VirtualHostEncoder {
  const hostRoutes = createMemo<Buffer>();
  const hosts = createMemo<EncodedVirtualHost>();
  const fallbacks = createMemo<TableHost>();

  const encodeRoute = (route: HttpRoute, plan: DestinationPlan): Buffer => {
    const fields = plan.addTo(buildHttpRoute(encoder, route, OUTBOUND_CLUSTERS), route);
    return frameField(ROUTES_FIELD, encoder.encode(ROUTE, fields));
  };
  const encodeRoutes = ({ routes }: VirtualHost, plan: DestinationPlan): Buffer =>
    Buffer.concat(routes.map((route) => encodeRoute(route, plan)));
  const encodeHost = (name: string, domains: readonly string[], encodedRoutes: Buffer): Buffer => {
    const head: EnvoyVirtualHost = { name, domains: [...domains] };
    return frameField(VIRTUAL_HOSTS_FIELD, Buffer.concat([encoder.encode(VIRTUAL_HOST, head), encodedRoutes]));
  };

  const encodeWith = (
    mesh: MeshConfig,
    { host }: HostTarget,
    domains: readonly string[],
    plan: DestinationPlan,
  ): Buffer => {
    // Proxies of different namespaces use different domains for a service, but the same routes.
    const encoded = hostRoutes.of([mesh, host], plan.keyOf(host), () => encodeRoutes(host, plan));
    return encodeHost(host.name, domains, encoded);
  };

  return {
    encoderFor: (mesh, dnsDomain, plan) => {
      const relationOf = hostRelationTo(dnsDomain);
      return {
        encode: (target) => {
          const { service, hostname, port, withoutPort, host } = target;
          const key = `${port}|${relationOf(hostname)}|${withoutPort}|${plan.keyOf(host)}`;
          return hosts.of([mesh, service ?? mesh, host], key, () => {
            const names = namesOf(target, dnsDomain);
            const domains = virtualHostDomains(names, port, withoutPort);
            const authorities = virtualHostDomains(names, port, false);
            return { name: host.name, authorities, field: encodeWith(mesh, target, domains, plan) };
          });
        },
        encodeWithout: (target, authorities) => {
          const { port, withoutPort } = target;
          const names = namesOf(target, dnsDomain).filter((name) => !authorities.has(`${name}:${port}`));
          if (names.length === 0) return undefined;
          return encodeWith(mesh, target, virtualHostDomains(names, port, withoutPort), plan);
        },
      };
    },
    fallback: (mesh, { id, host }, plan) =>
      fallbacks.of([mesh], `${id}|${plan.keyOf(host)}`, () => ({
        name: host.name,
        field: encodeHost(host.name, ['*'], encodeRoutes(host, plan)),
      })),
  };
}

function namesOf({ service, hostname }: HostTarget, dnsDomain: string): readonly string[] {
  return virtualHostNames(service ?? { hostname: bracketed(hostname), headless: false, addresses: [] }, dnsDomain);
}

/** IPv6 addresses have brackets in authorities. */
function bracketed(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}
