import type { ObjectKey } from '../../config/object.js';
import { socketAddress } from '../../envoy/addresses.js';
import { duration } from '../../envoy/durations.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { composeListener, type ListenerParts } from '../../envoy/listener-bytes.js';
import { tlsInspectorFilter } from '../../envoy/listener-filters.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { Finding } from '../../model/finding.js';
import { type GatewayServer, serverField } from '../../model/gateways/gateway-server.js';
import type { RouterPort } from '../../model/gateways/merge-servers.js';
import { wildcardAddresses } from '../address-families.js';
import type { Generated, ResourcePart, Scope } from '../generator.js';
import type { FilterFactory } from '../listeners/filter-factory.js';
import type { GeneratorSettings } from '../settings.js';
import { createGatewayChains, type GatewayChainContext } from './gateway-chains.js';
import type { GatewayRouter } from './gateway-router.js';
import type { RouterFacts } from './router-facts.js';

export interface GatewayListenerScope extends Scope, Omit<GatewayChainContext, 'mesh'> {
  readonly router: RouterFacts;
}

/** The listeners of routers, one for each address and port of their Gateways (docs/reference/xds.md#gateways). */
export function createGatewayListenersPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  filters: FilterFactory,
  gatewayRouter: GatewayRouter,
): ResourcePart<GatewayListenerScope> {
  const chainsOf = createGatewayChains(encoder, settings, filters);

  const headOf = (port: RouterPort, name: string, addresses: readonly [string, ...string[]]): ListenerParts['head'] => {
    const [first, ...additional] = addresses;
    return {
      name,
      address: socketAddress(first, port.port),
      ...(additional.length === 0
        ? {}
        : { additionalAddresses: additional.map((address) => ({ address: socketAddress(address, port.port) })) }),
      ...(port.kind === 'tls'
        ? {
            listenerFilters: [tlsInspectorFilter(encoder)],
            listenerFiltersTimeout: duration(settings.inboundProtocolDetectionTimeoutMs),
          }
        : {}),
      trafficDirection: 'OUTBOUND',
    };
  };

  const generate = (context: GatewayChainContext, { ports, conflicts }: RouterFacts): Generated => {
    const resources: EncodedResource[] = [];
    const findings = conflicts.map(
      ({ object, field, message }): Finding => ({
        ...rejected(object, field, message),
        isConflict: true,
      }),
    );
    for (const port of ports) {
      const addresses = port.bind === '' ? wildcardAddresses(context.dependencies.families) : ([port.bind] as const);
      const name = `${addresses[0]}_${port.port}`;
      const { chains, displaced, unrouted } = chainsOf(port, name, context);
      for (const server of displaced) findings.push(rejectedServer(server, DISPLACED));
      for (const server of unrouted) findings.push(rejectedServer(server, unroutedReason(server, context)));
      if (chains.length > 0) {
        resources.push(composeListener(encoder, { head: headOf(port, name, addresses), chains }));
      }
    }
    return { resources, findings };
  };

  return {
    name: 'gateways',
    scope: (context, proxy) => {
      if (proxy.type !== 'router') return undefined;
      const router = gatewayRouter.factsOf(context, proxy);
      if (router.ports.length === 0) return undefined;
      const dependencies = filters.dependenciesOf(context, proxy);
      const traffic = context.trafficOf(proxy);
      const routing = gatewayRouter.routingOf(context, proxy);
      const { hasSecrets } = proxy;
      // Other listeners name tables, or nothing of what the router sees.
      const readsTraffic = router.ports.some(({ servers }) => servers.some((server) => server.traffic !== 'http'));
      const { key: commonKey, inboundKey } = dependencies;
      const key = [commonKey, inboundKey, hasSecrets, router.key, readsTraffic ? routing.key : ''].join('|');
      return { key, router, dependencies, traffic, routing, hasSecrets };
    },
    generate: ({ mesh }, { router, ...scope }) => generate({ mesh, ...scope }, router),
  };
}

const DISPLACED =
  'takes connections that an earlier route or server of its port takes already; narrow their conditions';

function unroutedReason({ tls }: GatewayServer, { hasSecrets }: GatewayChainContext): string {
  if (tls?.mode === 'mesh' && !hasSecrets) {
    return 'uses MESH_MUTUAL at a router without a proven identity; connect the router to the secured port';
  }
  return 'has no route for its connections; bind a VirtualService with tls or tcp routes to it, or set defaultEndpoint';
}

function rejectedServer(server: GatewayServer, message: string): Finding {
  return rejected(server.object, serverField(server), message);
}

function rejected(object: ObjectKey, field: string, message: string): Finding {
  return {
    metric: 'nav_gateway_servers_rejected',
    key: `${object} ${field}`,
    object,
    message: `${object}: ${field} ${message}`,
  };
}
