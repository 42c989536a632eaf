import type { MessageCode } from './message-codes.js';

/** Codes about security (from 0301), listeners, routes and clusters (from 0401) and services (from 0501). */
export const MESH_MESSAGE_CODES = {
  ignoredPeerAuthentication: {
    code: 'MESH0301',
    level: 'Warn',
    title: 'A PeerAuthentication applies to no workload, because an older one on the same level applies.',
    remedy: 'change or remove the older one, or select workloads to which it does not apply',
  },
  peerAuthenticationOff: {
    code: 'MESH0302',
    level: 'Warn',
    title: 'A PeerAuthentication has no effect, because --plugins does not name authn.',
    remedy: 'add authn to --plugins; until then workloads accept mutual TLS and plaintext (PERMISSIVE)',
  },
  authorizationPolicyOff: {
    code: 'MESH0303',
    level: 'Warn',
    title: 'An AuthorizationPolicy has no effect, because --plugins does not name authz.',
    remedy: 'add authz to --plugins; until then workloads accept every request',
  },
  authorizationPolicyNeedsJwt: {
    code: 'MESH0305',
    level: 'Warn',
    needs: 'wholeMesh',
    title:
      'A rule of an AuthorizationPolicy requires a JWT, but no RequestAuthentication applies to its workloads, so no request has one.',
    remedy:
      'apply a RequestAuthentication in the same namespace, or describe callers by principals, namespaces or ipBlocks',
  },
  authorizationPoliciesTooLarge: {
    code: 'MESH0306',
    level: 'Error',
    title: 'The AuthorizationPolicies of a workload are too large together, so it rejects every request.',
    remedy: 'remove rules or values, join values by "*", or select fewer workloads; a workload takes 1 MiB of rules',
  },
  requestAuthenticationOff: {
    code: 'MESH0307',
    level: 'Warn',
    title: 'A RequestAuthentication has no effect, because --plugins does not name authn.',
    remedy: 'add authn to --plugins; until then workloads verify no tokens',
  },
  missingKeys: {
    code: 'MESH0308',
    level: 'Error',
    title: 'The keys of a JWT issuer cannot be fetched, so all its tokens are rejected.',
    remedy: 'correct jwksUri or issuer, or make the server reachable for the control plane (NAV_EGRESS_ALLOWED)',
  },
  outdatedKeys: {
    code: 'MESH0309',
    level: 'Warn',
    title: 'The keys of a JWT issuer cannot be fetched. The last ones count until NAV_JWKS_MAX_AGE has passed.',
    remedy: 'correct jwksUri or issuer, or make the server reachable for the control plane',
  },
  tooManyKeySources: {
    code: 'MESH0310',
    level: 'Error',
    title:
      'The keys of a JWT issuer are not fetched, because too many URLs of keys are named, so all its tokens are rejected.',
    remedy: 'remove JWT rules, or use the same jwksUri in several of them',
  },
  requestAuthenticationsTooLarge: {
    code: 'MESH0311',
    level: 'Error',
    title: 'The RequestAuthentications of a workload are too large together, so it rejects every request.',
    remedy:
      'remove JWT rules, set jwksUri in place of jwks, or select fewer workloads; a workload takes 1 MiB of rules',
  },
  listenerConflict: {
    code: 'MESH0401',
    level: 'Warn',
    title: 'Two services have the same address and port. Proxies serve only the older service there.',
    remedy: 'give the service another port or address',
  },
  patchSkipped: {
    code: 'MESH0402',
    level: 'Error',
    title: 'A patch of an EnvoyFilter is skipped: it cannot be applied, or Envoy would reject the result.',
    remedy: 'correct the patch as the message says; all other patches are applied',
  },
  serverRejected: {
    code: 'MESH0403',
    level: 'Warn',
    title:
      'A server of a Gateway, or a host of it, is not served: another server has the port or host, or it has no route.',
    remedy: 'correct the server as the message says; all other servers are served',
  },
  ruleReplaced: {
    code: 'MESH0404',
    level: 'Warn',
    title:
      'A policy or subset of a DestinationRule has no effect, because an older rule of the namespace has it for the same host.',
    remedy: 'merge the rules into one, or remove the part',
  },
  subsetsBeyondLimit: {
    code: 'MESH0405',
    level: 'Error',
    title: 'A DestinationRule has too many subsets for the ports of its service, so the last subsets have no clusters.',
    remedy: 'remove subsets that no route names, or divide the ports among several services',
  },
  unusableCredential: {
    code: 'MESH0406',
    level: 'Error',
    title: 'The secret that credentialName names is missing, malformed or expired, so TLS of a connected router fails.',
    remedy: 'correct the secret in the namespace of the router; docs/gateways.md describes its keys',
  },
  ineffectiveDelegate: {
    code: 'MESH0407',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'A delegate of a VirtualService has no effect, or some of its routes have none.',
    remedy:
      'correct the delegate, or the route that names it, as the message says; docs/virtual-services.md has the rules',
  },
  confinedRoutes: {
    code: 'MESH0408',
    level: 'Warn',
    needs: 'meshConfig',
    title:
      'A VirtualService is exported to other namespaces and names a host of another namespace. Only callers of its own namespace use the routes.',
    remedy:
      'set exportTo: ["."], or move the object to the namespace of the host or to the root namespace; virtualServiceScope of the mesh config sets whose requests are routed',
  },
  unreachableRoute: {
    code: 'MESH0409',
    level: 'Warn',
    title: 'A route, or a condition of it, takes no request, because an earlier route of the object takes all of them.',
    remedy: 'move it before the other one, narrow the other one, or remove it',
  },
  hostWithoutServer: {
    code: 'MESH0410',
    level: 'Warn',
    title:
      'No server of a Gateway has a host of a VirtualService that is bound to it, so no request reaches the routes.',
    remedy: 'add the host to a server of the Gateway (NAMESPACE/HOST there limits the namespace), or correct the host',
  },
  importsNothing: {
    code: 'MESH0411',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'An egress host of a Sidecar imports nothing.',
    remedy:
      'write NAMESPACE/HOST with the whole name of a service that is exported to the namespace, or remove the host',
  },
  patchWithoutTarget: {
    code: 'MESH0412',
    level: 'Warn',
    needs: 'wholeMesh',
    title:
      'A patch of an EnvoyFilter names a service, port, subset or Gateway that does not exist, so it changes nothing.',
    remedy: 'correct the name, or remove the patch; a service is named by its whole host',
  },
  emptySubset: {
    code: 'MESH0413',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'No workload of a service has the labels of a subset, so requests to the subset fail.',
    remedy: 'correct the labels, or label the workloads; remove the subset if it is not needed',
  },
  invisibleService: {
    code: 'MESH0414',
    level: 'Warn',
    title: 'A DestinationRule or VirtualService names a service that the proxies it concerns do not see.',
    remedy: 'export the service to the namespace, or move the object to the namespace of the service',
  },
  confinedEntry: {
    code: 'MESH0501',
    level: 'Warn',
    needs: 'meshConfig',
    title:
      'A ServiceEntry exports hosts or addresses that belong to other namespaces, so it affects only its own namespace.',
    remedy:
      'remove these hosts or addresses, or set exportTo: ["."]; serviceEntryScope of the mesh config sets which namespaces entries affect',
  },
  sharedClusterIp: {
    code: 'MESH0502',
    level: 'Warn',
    title: 'Two Services have the same cluster IP. Connections to it reach the older Service, on the ports of both.',
    remedy: 'give one of the Services another clusterIP',
  },
  duplicateHost: {
    code: 'MESH0503',
    level: 'Warn',
    title: 'Objects of several namespaces claim one host. Each namespace is served one of them.',
    remedy: 'remove one of the objects, or limit their exportTo',
  },
} as const satisfies Readonly<Record<string, MessageCode>>;
