import type { Environment } from '../../../bootstrap/environment.js';
import { DEFAULT_MESH_DOMAIN } from '../../../config/mesh-domain.js';
import { expressionLanguage } from '../../values/expression-language.js';
import { integer, text } from '../../values/scalar-types.js';
import { dnsName, namespaceName, optionalRevision, requiredText } from '../../values/text-types.js';
import type { VariableTable } from '../setting.js';

/** Variables that identify this process. */
export const processVariables = {
  clusterId: {
    name: 'CLUSTER_ID',
    type: requiredText,
    default: 'Orchestrator',
    meaning: 'Cluster and service registry of this instance; --clusterID has precedence',
  },
  dnsAgent: {
    name: 'DNS_AGENT',
    type: text,
    default: '',
    meaning:
      'If set, new pods send their DNS packets for port 53 to their proxy, which answers names of the mesh. It is the default of dnsCapture of the injection values',
    whenUnset: 'DNS packets are not captured',
  },
  meshDomain: {
    name: 'MESH_DOMAIN',
    type: dnsName,
    default: DEFAULT_MESH_DOMAIN,
    meaning: 'Mesh domain: the suffix of API groups, and the prefix of labels and annotations',
    addition: true,
  },
  meshLang: {
    name: 'MESH_LANG',
    type: expressionLanguage,
    default: '',
    meaning: 'Language of the expressions in rules and instances: legacy, compat or cel',
    whenUnset: 'legacy',
  },
  podName: {
    name: 'POD_NAME',
    type: text,
    default: '',
    meaning: 'Name of the pod; identifies this instance to proxies, in elections and in reports',
    whenUnset: 'unknown',
  },
  podNamespace: {
    name: 'POD_NAMESPACE',
    type: namespaceName,
    default: 'mesh-system',
    meaning: 'Namespace of the pod; --namespace has precedence',
  },
  podUid: {
    name: 'POD_UID',
    type: text,
    default: '',
    meaning: "UID of the pod. Kubernetes uses it to remove this instance's report after the pod has been deleted",
    addition: true,
  },
  revision: {
    name: 'REVISION',
    type: optionalRevision,
    default: '',
    meaning:
      'Revision: only resources labelled with it, or without a revision label, are processed. `default` is the revision whose names have no suffix',
    whenUnset: 'all resources are processed',
  },
  terminationDrainDurationSeconds: {
    name: 'TERMINATION_DRAIN_DURATION_SECONDS',
    type: integer({ min: 0 }),
    default: '5',
    meaning:
      'Seconds for which the proxy of a new pod continues to serve after the pod was told to end. It is the default of terminationDrainDuration of the mesh config',
  },
} as const satisfies Partial<VariableTable<Environment>>;
