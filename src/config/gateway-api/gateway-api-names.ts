/** The API group of the Kubernetes Gateway API. */
export const GATEWAY_API_GROUP = 'gateway.networking.k8s.io';

/** The Gateway of the Gateway API among the objects of the model, where `Gateway` is the mesh's own kind. */
export const API_GATEWAY = `Gateway.${GATEWAY_API_GROUP}`;

/** The controller that the control plane is, as GatewayClasses name it. */
export function gatewayControllerName(meshDomain: string): string {
  return `${meshDomain}/gateway-controller`;
}
