import type { MeshEndpoint, MeshPort, MeshService } from './mesh-shape.js';

/** Path of a service's file below the mesh folder. */
export function serviceFilePath(service: MeshService): string {
  return `${service.namespace}/${service.name}.yaml`;
}

/** The service and its EndpointSlice as a two-document file, in the form `kubectl get -o yaml` prints, trimmed. */
export function formatServiceFile(service: MeshService): string {
  return `${formatService(service)}---\n${formatEndpointSlice(service)}`;
}

function formatService(service: MeshService): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: ${service.name}
  namespace: ${service.namespace}
  labels:
    app: ${service.name}
spec:
  clusterIP: ${service.clusterIp ?? 'None'}
  selector:
    app: ${service.name}
  ports:
${service.ports.map(formatServicePort).join('')}`;
}

function formatServicePort(port: MeshPort): string {
  return `  - name: ${port.name}
    port: ${port.port}
    targetPort: ${port.targetPort}
    protocol: TCP
`;
}

function formatEndpointSlice(service: MeshService): string {
  return `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: ${service.name}-1
  namespace: ${service.namespace}
  labels:
    kubernetes.io/service-name: ${service.name}
addressType: IPv4
ports:
${service.ports.map(formatSlicePort).join('')}endpoints:
${service.endpoints.map(formatEndpoint).join('')}`;
}

function formatSlicePort(port: MeshPort): string {
  return `- name: ${port.name}
  port: ${port.targetPort}
  protocol: TCP
`;
}

function formatEndpoint(endpoint: MeshEndpoint): string {
  return `- addresses:
  - ${endpoint.address}
  conditions:
    ready: true
  nodeName: ${endpoint.nodeName}
  zone: ${endpoint.zone}
`;
}
