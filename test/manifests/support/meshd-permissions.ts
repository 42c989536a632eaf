/** A verb on a resource. */
export interface Permission {
  readonly group: string;
  /** With a subresource after a slash. */
  readonly resource: string;
  readonly verb: string;
  readonly namespace: string;
}

interface Permissions {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly namespaces: readonly string[];
}

const OWN = ['mesh-system'];
const ANY = ['mesh-system', 'shop'];
const FOLLOW = ['list', 'watch'];
const READ = ['get', ...FOLLOW];
export const POLICY_KINDS = [
  'httpapispecs',
  'httpapispecbindings',
  'quotaspecs',
  'quotaspecbindings',
  'plans',
  'consumers',
  'attributemanifests',
  'handlers',
  'instances',
  'rules',
  'adapters',
  'templates',
];
export const NETWORKING_KINDS = [
  'serviceentries',
  'workloadentries',
  'virtualservices',
  'destinationrules',
  'gateways',
  'sidecars',
  'envoyfilters',
];
export const SECURITY_KINDS = ['peerauthentications', 'requestauthentications', 'authorizationpolicies'];
const statusOf = (resource: string): string => `${resource}/status`;

/** All rights of the control plane: `shop` stands for every namespace but its own. */
export const MESHD_MAY: readonly Permissions[] = [
  { group: '', resources: ['services', 'endpoints', 'pods', 'nodes', 'namespaces'], verbs: FOLLOW, namespaces: ANY },
  { group: '', resources: ['serviceaccounts'], verbs: FOLLOW, namespaces: ANY },
  { group: 'discovery.k8s.io', resources: ['endpointslices'], verbs: FOLLOW, namespaces: ANY },
  { group: 'networking.k8s.io', resources: ['ingresses', 'ingressclasses'], verbs: FOLLOW, namespaces: ANY },
  { group: 'networking.k8s.io', resources: ['ingresses/status'], verbs: ['patch'], namespaces: ANY },
  { group: 'config.mesh.internal', resources: POLICY_KINDS, verbs: READ, namespaces: ANY },
  { group: 'config.mesh.internal', resources: POLICY_KINDS.map(statusOf), verbs: ['patch'], namespaces: ANY },
  { group: 'networking.mesh.internal', resources: NETWORKING_KINDS, verbs: READ, namespaces: ANY },
  { group: 'networking.mesh.internal', resources: NETWORKING_KINDS.map(statusOf), verbs: ['patch'], namespaces: ANY },
  { group: 'security.mesh.internal', resources: SECURITY_KINDS, verbs: READ, namespaces: ANY },
  { group: 'security.mesh.internal', resources: SECURITY_KINDS.map(statusOf), verbs: ['patch'], namespaces: ANY },
  { group: '', resources: ['events'], verbs: ['create'], namespaces: ANY },
  { group: '', resources: ['secrets'], verbs: [...FOLLOW, 'create'], namespaces: OWN },
  { group: 'authentication.k8s.io', resources: ['tokenreviews'], verbs: ['create'], namespaces: ANY },
  { group: 'coordination.k8s.io', resources: ['leases'], verbs: ['get', 'create', 'update'], namespaces: OWN },
  {
    group: '',
    resources: ['configmaps'],
    verbs: ['list', 'watch', 'create', 'patch', 'delete'],
    namespaces: OWN,
  },
];
