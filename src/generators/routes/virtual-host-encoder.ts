import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { frameField, type MessageEncoder } from '../../envoy/message-encoder.js';
import type { VirtualHost } from '../../generated/envoy/config/route/v3/VirtualHost.js';
import { createMemo } from '../memo.js';
import type { GeneratorSettings } from '../settings.js';
import type { ServicePort } from '../view-index.js';
import { buildDefaultRetryPolicy, buildDefaultRoute } from './default-route.js';
import { buildFallbackVirtualHost } from './fallback-virtual-host.js';
import { hostRelationTo } from './host-forms.js';
import type { RouteAdditions } from './route-additions.js';
import { virtualHostDomains, virtualHostNames } from './virtual-host-domains.js';

/** A virtual host as a field of its route table. */
interface EncodedVirtualHost {
  /**
   * Each with its port, in lower case. Two virtual hosts of a table have a domain in common exactly where they
   * have one of these: a name without a port means the same one port throughout a table.
   */
  readonly authorities: readonly string[];
  readonly field: Buffer;
}

/** Encodes the virtual hosts of one table. */
interface HostEncoder {
  /** @param withoutPort whether authorities without a port mean this port */
  encode(target: ServicePort, withoutPort: boolean): EncodedVirtualHost;
  /** Without the authorities that are others'; undefined when nothing is left. */
  encodeWithout(target: ServicePort, withoutPort: boolean, authorities: ReadonlySet<string>): Buffer | undefined;
}

/** Encodes virtual hosts, each once for as long as its service stays the same. */
export interface VirtualHostEncoder {
  /** For proxies of one DNS domain. @param additions undefined where plugins add nothing */
  encoderFor(mesh: MeshConfig, dnsDomain: string, additions: RouteAdditions | undefined): HostEncoder;
  fallback(mesh: MeshConfig, additions: RouteAdditions | undefined): Buffer;
}

const VIRTUAL_HOST = 'type.googleapis.com/envoy.config.route.v3.VirtualHost';
const ROUTE = 'type.googleapis.com/envoy.config.route.v3.Route';
const VIRTUAL_HOSTS_FIELD = 2;
const ROUTES_FIELD = 3;

export function createVirtualHostEncoder(encoder: MessageEncoder, settings: GeneratorSettings): VirtualHostEncoder {
  const routes = createMemo<Buffer>();
  const hosts = createMemo<EncodedVirtualHost>();
  const fallbacks = createMemo<Buffer>();
  const retryPolicy = buildDefaultRetryPolicy(encoder);

  const encodeWith = (
    mesh: MeshConfig,
    { service, port }: ServicePort,
    domains: readonly string[],
    additions: RouteAdditions | undefined,
  ): Buffer => {
    const added = additions?.keyOf(service);
    // One route serves all the domains that proxies of different namespaces know the service by.
    const route = routes.of([mesh, service], memoKey(String(port.number), added), () => {
      const defaultRoute = buildDefaultRoute(service, port, retryPolicy, settings.defaultRequestTimeoutMs);
      const fields = added === undefined ? {} : additions?.fieldsFor(added, service);
      return frameField(ROUTES_FIELD, encoder.encode(ROUTE, { ...defaultRoute, ...fields }));
    });
    const head: VirtualHost = { name: `${service.hostname}:${port.number}`, domains: [...domains] };
    return frameField(VIRTUAL_HOSTS_FIELD, Buffer.concat([encoder.encode(VIRTUAL_HOST, head), route]));
  };

  return {
    encoderFor: (mesh, dnsDomain, additions) => {
      const relationOf = hostRelationTo(dnsDomain);
      return {
        encode: (target, withoutPort) => {
          const { service, port } = target;
          const plainKey = `${port.number}|${relationOf(service.hostname)}|${withoutPort}`;
          const key = additions === undefined ? plainKey : memoKey(plainKey, additions.keyOf(service));
          return hosts.of([mesh, service], key, () => {
            const names = virtualHostNames(service, dnsDomain);
            const domains = virtualHostDomains(names, port.number, withoutPort);
            const authorities = virtualHostDomains(names, port.number, false);
            return { authorities, field: encodeWith(mesh, target, domains, additions) };
          });
        },
        encodeWithout: (target, withoutPort, authorities) => {
          const { service, port } = target;
          const names = virtualHostNames(service, dnsDomain).filter((name) => {
            return !authorities.has(`${name}:${port.number}`);
          });
          if (names.length === 0) return undefined;
          return encodeWith(mesh, target, virtualHostDomains(names, port.number, withoutPort), additions);
        },
      };
    },
    fallback: (mesh, additions) => {
      const added = additions?.keyOf(undefined);
      return fallbacks.of([mesh], memoKey('', added), () => {
        const fields = added === undefined ? {} : additions?.fieldsFor(added, undefined);
        return frameField(VIRTUAL_HOSTS_FIELD, encoder.encode(VIRTUAL_HOST, buildFallbackVirtualHost(mesh, fields)));
      });
    },
  };
}

function memoKey(key: string, added: string | undefined): string {
  return added === undefined ? key : `${key}|${added}`;
}
