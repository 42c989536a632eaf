import type { TSchema } from 'typebox';
import type { KindDefinition } from '../kind-definition.js';
import { apiGatewaySchema } from './gateway.js';
import { API_GATEWAY, GATEWAY_API_GROUP } from './gateway-api-names.js';
import { gatewayClassSchema } from './gateway-class.js';
import { httpRouteSchema } from './http-route.js';
import { referenceGrantSchema } from './reference-grant.js';

/**
 * The kinds of the Kubernetes Gateway API that the mesh reads (NAV_ENABLED_SERVICE_APIS). Users install their CRDs; fields
 * that the model does not read are dropped. What has no effect is told of in conditions (`model/gateway-api`).
 */
export function createGatewayApiKinds(): readonly KindDefinition[] {
  return [
    { ...kindOf('GatewayClass', 'gatewayclasses', gatewayClassSchema), namespaced: false },
    { ...kindOf('Gateway', 'gateways', apiGatewaySchema), modelKind: API_GATEWAY },
    kindOf('HTTPRoute', 'httproutes', httpRouteSchema),
    { ...kindOf('ReferenceGrant', 'referencegrants', referenceGrantSchema), versions: ['v1', 'v1beta1'] },
  ];
}

function kindOf(kind: string, plural: string, schema: TSchema): KindDefinition {
  return {
    group: GATEWAY_API_GROUP,
    versions: ['v1'],
    kind,
    plural,
    namespaced: true,
    schema,
    bodyAt: 'spec',
    unknownFields: 'dropped',
    validate: () => [],
  };
}
