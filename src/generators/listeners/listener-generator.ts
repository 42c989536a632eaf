import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { listenersAffectedBy } from '../affected-by.js';
import { createGatewayListenersPart } from '../gateways/gateway-listeners-part.js';
import { createGatewayRouter, type GatewayRouter } from '../gateways/gateway-router.js';
import type { WildcardGenerator } from '../generator.js';
import type { ListenerPlugin } from '../plugins/networking-plugin.js';
import type { GeneratorSettings } from '../settings.js';
import { createDnsPart } from './dns/dns-part.js';
import { createFilterFactory } from './filter-factory.js';
import { createHttpProxyPart } from './http-proxy-part.js';
import { createBoundInboundPart } from './inbound/bound-inbound-part.js';
import { createInboundPart } from './inbound/inbound-part.js';
import { createOutboundPart } from './outbound/outbound-part.js';
import { createVirtualOutboundPart } from './outbound/virtual-outbound-part.js';

/**
 * Listeners of sidecars (docs/reference/xds.md#sidecar-listeners) and routers (docs/reference/xds.md#gateways).
 *
 * @param plugins in the order of their filters
 * @param gatewayRouter to share among the generators of routers
 */
export function createListenerGenerator(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  plugins: readonly ListenerPlugin[] = [],
  gatewayRouter: GatewayRouter = createGatewayRouter(settings),
): WildcardGenerator {
  const filters = createFilterFactory(encoder, settings, plugins);
  return {
    mode: 'wildcard',
    typeUrl: TypeUrl.listener,
    affectedBy: listenersAffectedBy,
    parts: [
      createOutboundPart(encoder, settings, filters),
      createVirtualOutboundPart(encoder, filters),
      createHttpProxyPart(encoder, filters),
      createDnsPart(encoder),
      createInboundPart(encoder, settings, filters),
      createGatewayListenersPart(encoder, settings, filters, gatewayRouter),
      createBoundInboundPart(encoder, settings, filters),
    ],
  };
}
