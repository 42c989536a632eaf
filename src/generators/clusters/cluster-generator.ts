import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { clustersAffectedBy } from '../affected-by.js';
import { createGatewayClustersPart } from '../gateways/gateway-clusters-part.js';
import { createGatewayRouter, type GatewayRouter } from '../gateways/gateway-router.js';
import type { ResourcePart, WildcardGenerator } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import { createFixedPart } from './fixed-part.js';
import { createInboundPart } from './inbound-part.js';
import { type CalledClusters, createNeededClusters } from './needed-clusters.js';
import { createOutboundPart } from './outbound-part.js';
import { createUpstreamProtocols } from './upstream-protocols.js';

/**
 * Clusters (CDS, docs/reference/xds.md#clusters): of every service port in view, of the workload of the sidecar, and
 * the fixed ones.
 *
 * @param pluginParts clusters of plugins, made from the services of a view and the mesh config alone
 * @param gatewayRouter to share among the generators of routers
 * @param calledClusters names of the clusters of services that filters of plugins call
 */
export function createClusterGenerator(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  pluginParts: readonly ResourcePart[] = [],
  gatewayRouter: GatewayRouter = createGatewayRouter(settings),
  calledClusters: CalledClusters = () => [],
): WildcardGenerator {
  const protocols = createUpstreamProtocols(encoder);
  const needed = createNeededClusters(settings, calledClusters);
  return {
    mode: 'wildcard',
    typeUrl: TypeUrl.cluster,
    parts: [
      {
        ...createOutboundPart(encoder, settings, protocols, gatewayRouter),
        neededNames: needed.namesFor,
      },
      createInboundPart(encoder, settings, protocols),
      createFixedPart(encoder, protocols),
      createGatewayClustersPart(encoder, settings, gatewayRouter),
      ...pluginParts,
    ],
    affectedBy: (request, proxyType, context) =>
      clustersAffectedBy(request, proxyType, context) ||
      (proxyType === 'sidecar' && request.full && needed.affectedBy(request, context)),
  };
}
