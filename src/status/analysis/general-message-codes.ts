import type { MessageCode } from './message-codes.js';

/** Codes that many kinds share (up to 0129), with the numbers of earlier control planes of this kind. */
export const GENERAL_MESSAGE_CODES = {
  internalError: {
    code: 'MESH0001',
    level: 'Error',
    title: 'An analyzer failed, so its messages are missing.',
    remedy: 'report the error, with the message',
  },
  deprecatedField: {
    code: 'MESH0002',
    level: 'Warn',
    title: 'A field is deprecated. It works, but has a successor.',
    remedy: 'write the successor, and remove the field',
  },
  missingReference: {
    code: 'MESH0101',
    level: 'Error',
    needs: 'wholeMesh',
    title: 'A reference names a resource that does not exist.',
    remedy: 'create the resource, or correct name and namespace of the reference',
  },
  namespaceNotLabelled: {
    code: 'MESH0102',
    level: 'Warn',
    title: 'A namespace has no label for injection, so its pods get no sidecar. Other namespaces have one.',
    remedy: 'kubectl label namespace NAME mesh-injection=enabled and restart the pods, or set the label to disabled',
  },
  podWithoutProxy: {
    code: 'MESH0103',
    level: 'Warn',
    title: 'A pod runs without a sidecar, although its namespace has injection.',
    remedy:
      'restart the pod: only new pods get a sidecar; sidecar.mesh.internal/inject: "false" says that it needs none',
  },
  gatewayPort: {
    code: 'MESH0104',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'A Gateway has a port that no Service of its workloads has, so callers cannot reach it.',
    remedy: 'add the port to the Service of the gateway, or correct it',
  },
  outdatedProxy: {
    code: 'MESH0105',
    level: 'Warn',
    title: 'The proxy of a pod has another image than the injector gives to new pods.',
    remedy: 'restart the pods (kubectl rollout restart), or set proxy.image in the values of the injector',
  },
  invalidObject: {
    code: 'MESH0106',
    level: 'Error',
    title: 'An object breaks its schema or a rule of its kind, so it is rejected.',
    remedy: 'correct the field; docs/validation.md describes the rules',
  },
  misplacedAnnotation: {
    code: 'MESH0107',
    level: 'Warn',
    title: 'An annotation of the mesh is on an object of another kind, so it has no effect.',
    remedy: 'move it; annotations of pods belong into the pod template; docs/annotations.md lists those of each kind',
  },
  unknownAnnotation: {
    code: 'MESH0108',
    level: 'Warn',
    title: 'An annotation has the domain of the mesh, but the mesh has no such annotation, so it has no effect.',
    remedy: 'docs/annotations.md lists the annotations of each kind',
  },
  overlappingRoutes: {
    code: 'MESH0109',
    level: 'Error',
    title: 'VirtualServices for sidecars have the same host. Sidecars use the routes of one of them.',
    remedy: 'merge the routes into one object, or limit exportTo so that no namespace sees both',
  },
  sidecarsOfOneWorkload: {
    code: 'MESH0110',
    level: 'Error',
    title: 'Several Sidecars select one workload. Only one of them applies to it.',
    remedy: 'change the labels of workloadSelector so that each workload has one Sidecar',
  },
  sidecarsWithoutSelector: {
    code: 'MESH0111',
    level: 'Error',
    title: 'A namespace has several Sidecars without workloadSelector. Only one of them applies.',
    remedy: 'merge them into one, or give the others a workloadSelector',
  },
  destinationWithoutPort: {
    code: 'MESH0112',
    level: 'Error',
    title: 'A destination names no port, but its service has several.',
    remedy: 'set destination.port.number',
  },
  disagreeingTls: {
    code: 'MESH0113',
    level: 'Error',
    title:
      'A DestinationRule has a TLS mode that the PeerAuthentication of its workloads rejects, so connections fail.',
    remedy:
      'set the mode to MESH_MUTUAL for STRICT workloads, to DISABLE for plaintext ones, or remove tls: it is automatic',
  },
  missingPort: {
    code: 'MESH0114',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'A policy names a port that no selected workload has.',
    remedy: 'use the port that the container listens on, which is the targetPort of the Service',
  },
  mutualTlsWithoutSidecar: {
    code: 'MESH0115',
    level: 'Error',
    title: 'A DestinationRule demands mutual TLS of the mesh from a workload without a sidecar, so connections fail.',
    remedy: 'inject a sidecar into the workload, or remove tls from the rule',
  },
  differingProtocols: {
    code: 'MESH0116',
    level: 'Warn',
    title: 'Services give one port of a workload different protocols, so requests are treated by one of them.',
    remedy: 'give the ports of the Services names with the same protocol',
  },
  workloadWithoutService: {
    code: 'MESH0117',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'No Service selects a workload of the mesh, so others cannot call it, and its ports have no protocol.',
    remedy: 'create a Service, also for a workload that only calls others; or correct its selector',
  },
  portName: {
    code: 'MESH0118',
    level: 'Info',
    title: 'The name of a Service port tells no protocol, so proxies detect it.',
    remedy: 'name the port http-…, grpc-… or tcp-…, or set its appProtocol',
  },
  tokenPort: {
    code: 'MESH0119',
    level: 'Warn',
    title:
      'A RequestAuthentication applies to a port that is not declared as HTTP. Tokens are checked in HTTP requests alone.',
    remedy: 'name the port http-… or grpc-…, or set its appProtocol',
  },
  badRegex: {
    code: 'MESH0122',
    level: 'Warn',
    title: 'A regular expression is invalid, or matches no request.',
    remedy: 'correct the expression; it has to match the whole text, in the syntax of RE2',
  },
  doubleInjectionLabel: {
    code: 'MESH0123',
    level: 'Warn',
    title:
      'A namespace has both labels for injection. Which control plane injects depends on the order of the webhooks.',
    remedy: 'remove mesh-injection or the label of the revision',
  },
  unusableAnnotation: {
    code: 'MESH0125',
    level: 'Warn',
    title: 'An annotation of a Service, ServiceEntry or Namespace has a value that cannot be used.',
    remedy: 'docs/annotations.md lists the annotations, their values, and what holds instead of a wrong one',
  },
  unknownRegistry: {
    code: 'MESH0126',
    level: 'Error',
    needs: 'wholeMesh',
    title: 'The mesh networks name a cluster that the mesh does not read.',
    remedy: 'correct fromRegistry, or register the cluster by a secret',
  },
  selectsNothing: {
    code: 'MESH0127',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'A selector matches no workload, so the object has no effect.',
    remedy: 'correct the labels, or remove the selector to select all workloads of the namespace',
  },
  unverifiedDestination: {
    code: 'MESH0128',
    level: 'Error',
    title: 'TLS of a DestinationRule has no CA certificate, so clients accept any server.',
    remedy: 'set caCertificates, for example to /etc/ssl/certs/ca-certificates.crt, or credentialName',
  },
  unverifiedPort: {
    code: 'MESH0129',
    level: 'Error',
    title: 'TLS of one port of a DestinationRule has no CA certificate, so clients accept any server.',
    remedy: 'set caCertificates, for example to /etc/ssl/certs/ca-certificates.crt, or credentialName',
  },
} as const satisfies Readonly<Record<string, MessageCode>>;
