import { HTTP_PORT, type MeshService, serviceHost } from './mesh-shape.js';

/** Path of the file with the VirtualService and the DestinationRule of a service, below the mesh folder. */
export function routingFilePath(service: MeshService): string {
  return `${service.namespace}/${service.name}-routing.yaml`;
}

/** The header value that a route adds in a release. No release is part of the text of another one. */
export function releaseOf(release: number): string {
  return `release-${String(release).padStart(3, '0')}`;
}

/** The services that get a VirtualService and a DestinationRule: the first ones with a port of HTTP. */
export function routedServices(services: readonly MeshService[], count: number): readonly MeshService[] {
  return services.filter(({ kind }) => kind === 'http').slice(0, count);
}

/**
 * A canary: two subsets, of which each has all endpoints, weighted by the release. Every release has other weights.
 */
export function formatRoutingFile(service: MeshService, release: number): string {
  const metadata = `metadata:
  name: ${service.name}
  namespace: ${service.namespace}`;
  const weight = release % 100;
  return `apiVersion: networking.mesh.internal/v1beta1
kind: DestinationRule
${metadata}
spec:
  host: ${serviceHost(service)}
  trafficPolicy:
    loadBalancer:
      simple: ROUND_ROBIN
  subsets:
  - name: v1
    labels: {}
  - name: v2
    labels: {}
---
apiVersion: networking.mesh.internal/v1beta1
kind: VirtualService
${metadata}
spec:
  hosts:
  - ${serviceHost(service)}
  http:
  - headers:
      request:
        set:
          x-release: ${releaseOf(release)}
    route:
${formatDestination(service, 'v1', 100 - weight)}${formatDestination(service, 'v2', weight)}`;
}

function formatDestination(service: MeshService, subset: string, weight: number): string {
  return `    - destination:
        host: ${serviceHost(service)}
        subset: ${subset}
        port:
          number: ${HTTP_PORT.port}
      weight: ${weight}
`;
}
