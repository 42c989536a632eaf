import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { frameField, type MessageEncoder } from '../../envoy/message-encoder.js';
import type { VirtualHost as EnvoyVirtualHost } from '../../generated/envoy/config/route/v3/VirtualHost.js';
import { createMemo } from '../../model/memo.js';
import type { Service } from '../../model/service.js';
import type { HttpRoute, VirtualHost } from '../../model/traffic/http-route.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { UnknownTraffic } from '../../model/traffic/unknown-destinations.js';
import { OUTBOUND_CLUSTERS } from '../destination-names.js';
import { mergeRouteFields, type RouteFields, type RoutePlan } from '../plugins/route-plan.js';
import type { GeneratorSettings } from '../settings.js';
import type { ServicePort } from '../view-index.js';
import { buildHttpRoute } from './http/http-route.js';
import { hostRelationTo, virtualHostDomains, virtualHostNames } from './virtual-host-domains.js';

/** A virtual host as a field of its route table. */
interface EncodedVirtualHost {
  /**
   * The domains with their port, in lower case. Domains without a port mean the same port throughout a table, so two
   * virtual hosts conflict exactly if they share one of these.
   */
  readonly authorities: readonly string[];
  readonly field: Buffer;
}

/** A service port, and the port of its authorities where it is another one. */
type HostTarget = ServicePort & { readonly authorityPort?: number };

/** Encodes the virtual hosts of one table. */
interface HostEncoder {
  /** @param withoutPort whether authorities without a port mean this port */
  encode(target: HostTarget, withoutPort: boolean): EncodedVirtualHost;
  /** Without the authorities of other services; undefined when none is left. */
  encodeWithout(target: HostTarget, withoutPort: boolean, authorities: ReadonlySet<string>): Buffer | undefined;
}

/** The inputs of virtual hosts. */
interface RouteContext {
  readonly mesh: MeshConfig;
  readonly traffic: TrafficView;
}

/** Encodes virtual hosts, each once for as long as its service stays the same. */
export interface VirtualHostEncoder {
  /** For proxies of one DNS domain. @param plan undefined where plugins add nothing */
  encoderFor(context: RouteContext, dnsDomain: string, plan: RoutePlan | undefined): HostEncoder;
  fallback(mesh: MeshConfig, unknown: UnknownTraffic, plan: RoutePlan | undefined): Buffer;
}

const VIRTUAL_HOST = 'type.googleapis.com/envoy.config.route.v3.VirtualHost';
const ROUTE = 'type.googleapis.com/envoy.config.route.v3.Route';
const VIRTUAL_HOSTS_FIELD = 2;
const ROUTES_FIELD = 3;

export function createVirtualHostEncoder(encoder: MessageEncoder, settings: GeneratorSettings): VirtualHostEncoder {
  const hostRoutes = createMemo<Buffer>();
  const hosts = createMemo<EncodedVirtualHost>();
  const fallbacks = createMemo<Buffer>();

  const encodeRoute = (route: HttpRoute, added: RouteFields): Buffer => {
    const fields = buildHttpRoute(encoder, route, OUTBOUND_CLUSTERS);
    return frameField(ROUTES_FIELD, encoder.encode(ROUTE, { ...fields, ...mergeRouteFields([fields, added]) }));
  };
  const encodeRoutes = ({ routes }: VirtualHost, added: RouteFields): Buffer =>
    Buffer.concat(routes.map((route) => encodeRoute(route, added)));
  const encodeHost = (name: string, domains: readonly string[], encodedRoutes: Buffer): Buffer => {
    const head: EnvoyVirtualHost = { name, domains: [...domains] };
    return frameField(VIRTUAL_HOSTS_FIELD, Buffer.concat([encoder.encode(VIRTUAL_HOST, head), encodedRoutes]));
  };

  const encodeWith = (
    { mesh, traffic }: RouteContext,
    { service, port }: ServicePort,
    domains: readonly string[],
    plan: RoutePlan | undefined,
  ): Buffer => {
    const added = plan?.keyOf(service);
    // Proxies of different namespaces use different domains for a service, but the same routes.
    const host = traffic.virtualHostOf(service, port, settings.defaultRequestTimeoutMs);
    const encoded = hostRoutes.of([mesh, host], added ?? '', () => encodeRoutes(host, fieldsOf(plan, service)));
    return encodeHost(host.name, domains, encoded);
  };

  return {
    encoderFor: (context, dnsDomain, plan) => {
      const relationOf = hostRelationTo(dnsDomain);
      return {
        encode: (target, withoutPort) => {
          const { service, port, authorityPort = port.number } = target;
          const plainKey = `${authorityPort}|${relationOf(service.hostname)}|${withoutPort}`;
          const key = plan === undefined ? plainKey : memoKey(plainKey, plan.keyOf(service));
          const host = context.traffic.virtualHostOf(service, port, settings.defaultRequestTimeoutMs);
          return hosts.of([context.mesh, service, host], key, () => {
            const names = virtualHostNames(service, dnsDomain);
            const domains = virtualHostDomains(names, authorityPort, withoutPort);
            const authorities = virtualHostDomains(names, authorityPort, false);
            return { authorities, field: encodeWith(context, target, domains, plan) };
          });
        },
        encodeWithout: (target, withoutPort, authorities) => {
          const { service, port, authorityPort = port.number } = target;
          const names = virtualHostNames(service, dnsDomain).filter((name) => {
            return !authorities.has(`${name}:${authorityPort}`);
          });
          if (names.length === 0) return undefined;
          return encodeWith(context, target, virtualHostDomains(names, authorityPort, withoutPort), plan);
        },
      };
    },
    fallback: (mesh, { id, host }, plan) => {
      const added = plan?.keyOf(undefined);
      return fallbacks.of([mesh], memoKey(id, added), () => {
        return encodeHost(host.name, ['*'], encodeRoutes(host, fieldsOf(plan, undefined)));
      });
    },
  };
}

function fieldsOf(plan: RoutePlan | undefined, service: Service | undefined): RouteFields {
  return plan?.fieldsFor(service) ?? {};
}

function memoKey(key: string, added: string | undefined): string {
  return added === undefined ? key : `${key}|${added}`;
}
