import { text } from '../values/scalar-types.js';
import { labels } from '../values/text-types.js';
import type { FlagTable, VariableTable } from './setting.js';

export interface GrpcBootstrapFlags {
  readonly output: string;
  readonly discoveryAddress: string;
  readonly discoveryRoots: string;
  readonly certificate: string;
  readonly privateKey: string;
  readonly roots: string;
  readonly domain: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly locality: string;
}

/** The flags of the `grpc-bootstrap` command. */
export const grpcBootstrapFlags: FlagTable<GrpcBootstrapFlags> = {
  output: {
    name: 'output',
    shorthand: 'o',
    type: text,
    default: '',
    meaning: 'Path of the file to write, as GRPC_XDS_BOOTSTRAP names it; empty prints it',
  },
  discoveryAddress: {
    name: 'discoveryAddress',
    type: text,
    default: 'meshd.mesh-system.svc:15010',
    meaning: 'Address of the control plane, host:port',
  },
  discoveryRoots: {
    name: 'discoveryRoots',
    type: text,
    default: '',
    meaning:
      'Path of the root certificates of the control plane, for its secured port, to which the library shows its certificate; empty for a plaintext port',
  },
  certificate: {
    name: 'certificate',
    type: text,
    default: '',
    meaning: 'Path of the certificate chain of the workload, for mutual TLS; --privateKey and --roots go with it',
  },
  privateKey: { name: 'privateKey', type: text, default: '', meaning: 'Path of the private key of the workload' },
  roots: {
    name: 'roots',
    type: text,
    default: '',
    meaning: 'Path of the root certificates with which the library verifies its peers',
  },
  domain: { name: 'domain', type: text, default: 'cluster.local', meaning: 'DNS suffix of the cluster' },
  labels: {
    name: 'labels',
    type: labels,
    default: '{}',
    meaning: 'Labels of the workload, as a JSON object of texts',
  },
  locality: { name: 'locality', type: text, default: '', meaning: 'Locality of the workload, region/zone/subzone' },
};

export interface GrpcBootstrapVariables {
  readonly address: string;
  readonly pod: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly cluster: string;
  readonly network: string;
}

/** The variables of the `grpc-bootstrap` command: those of an injected container. */
export const grpcBootstrapVariables: VariableTable<GrpcBootstrapVariables> = {
  address: { name: 'INSTANCE_IP', type: text, default: '127.0.0.1', meaning: 'Address of the pod' },
  pod: { name: 'POD_NAME', type: text, default: 'grpc', meaning: 'Name of the pod' },
  namespace: { name: 'POD_NAMESPACE', type: text, default: 'default', meaning: 'Namespace of the pod' },
  serviceAccount: { name: 'SERVICE_ACCOUNT', type: text, default: '', meaning: 'Service account of the pod' },
  cluster: { name: 'MESH_META_CLUSTER_ID', type: text, default: '', meaning: 'Cluster of the pod' },
  network: { name: 'MESH_META_NETWORK', type: text, default: '', meaning: 'Network of the pod' },
};
