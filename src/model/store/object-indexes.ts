import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createGatewayApiIndexer } from '../gateway-api/gateway-api-index.js';
import { createGatewayIndexer } from '../gateways/gateway-index.js';
import { createAuthorizationPolicyIndexer } from '../security/authorization-policies.js';
import { createPeerAuthenticationIndexer } from '../security/peer-authentications.js';
import { createRequestAuthenticationIndexer } from '../security/request-authentications.js';
import { createIngressReader } from '../sidecars/ingress-targets.js';
import { createSidecarScopeReader } from '../sidecars/sidecar-scope.js';
import { createSidecarIndexer } from '../sidecars/sidecars.js';
import { createDestinationRuleIndexer } from '../traffic/destination-rules/destination-rules.js';
import { createTrafficTranslator } from '../traffic/mesh-traffic.js';
import { createTrafficViewComposer } from '../traffic/traffic-view.js';
import { createVirtualServiceIndexer } from '../traffic/virtual-services/virtual-service-index.js';
import type { MeshState } from './mesh-state.js';
import type { MeshStoreSettings } from './mesh-store-settings.js';

/** The objects of the mesh, of one moment. */
export interface IndexedObjects {
  readonly objects: MeshState['objects'];
  readonly mesh: MeshConfig;
}

/** What the objects of each kind say together, and the readers that remember what they made of it. */
export type ObjectIndexes = Pick<
  MeshState,
  | 'destinationRules'
  | 'traffic'
  | 'routes'
  | 'composeView'
  | 'sidecars'
  | 'sidecarScopeOf'
  | 'ingressOf'
  | 'gateways'
  | 'gatewayApi'
  | 'peerAuthentications'
  | 'requestAuthentications'
  | 'authorizationPolicies'
>;

const NO_OBJECTS: IndexedObjects['objects'] = new Map();

/** An index stays the same object while the objects of its kinds and the mesh config that it reads do. */
export function createObjectIndexer(settings: MeshStoreSettings): (source: IndexedObjects) => ObjectIndexes {
  const { domain, virtualServiceDelegates: delegates = false, ignoresAuthentications = false } = settings;
  const destinationRulesOf = createDestinationRuleIndexer();
  const trafficOf = createTrafficTranslator();
  const routesOf = createVirtualServiceIndexer({ domain, delegates });
  const sidecarsOf = createSidecarIndexer();
  const gatewayApiOf = createGatewayApiIndexer(domain, settings.gatewayApi);
  const gatewaysOf = createGatewayIndexer();
  const peerAuthenticationsOf = createPeerAuthenticationIndexer();
  const requestAuthenticationsOf = createRequestAuthenticationIndexer();
  const authorizationPoliciesOf = createAuthorizationPolicyIndexer();
  const composeView = createTrafficViewComposer();
  const sidecarScopeOf = createSidecarScopeReader();
  const ingressOf = createIngressReader();
  return (source) => {
    const { mesh } = source;
    const authentications = ignoresAuthentications ? { objects: NO_OBJECTS, mesh } : source;
    const gatewayApi = gatewayApiOf(source);
    const destinationRules = destinationRulesOf({ ...source, domain });
    return {
      destinationRules,
      traffic: trafficOf(mesh, destinationRules),
      routes: routesOf(source),
      composeView,
      sidecars: sidecarsOf(source),
      sidecarScopeOf,
      ingressOf,
      gateways: gatewaysOf({ ...source, apiGateways: gatewayApi.gateways }),
      gatewayApi,
      peerAuthentications: peerAuthenticationsOf(authentications),
      requestAuthentications: requestAuthenticationsOf(authentications),
      authorizationPolicies: authorizationPoliciesOf(source),
    };
  };
}
