import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { GeneratorSettings } from '../settings.js';
import { type GatewayRouting, NO_ROUTING } from './gateway-routing.js';
import { createRouterFacts, type RouterFacts } from './router-facts.js';

/** What Gateways and virtual services say about a router. */
export interface GatewayRouter {
  factsOf(context: PushContext, proxy: Proxy): RouterFacts;
  routingOf(context: PushContext, proxy: Proxy): GatewayRouting;
}

export function createGatewayRouter(settings: GeneratorSettings): GatewayRouter {
  return { factsOf: createRouterFacts(settings), routingOf: () => NO_ROUTING };
}
