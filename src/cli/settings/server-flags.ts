import { bool, text } from '../values/scalar-types.js';
import { namespaceName, optionalRemoteAddress } from '../values/text-types.js';
import type { FlagTable } from './setting.js';

/** The values of the flags that say which servers a command asks. */
export interface ServerFlags {
  /** `host:port`; empty if it is not given. */
  readonly address: string;
  readonly cluster: boolean;
  /** Path; empty if it is not given. */
  readonly kubeconfig: string;
  /** Empty: the current context of the kubeconfig. */
  readonly context: string;
  /** Namespace of the control plane. */
  readonly namespace: string;
}

/** The flags of commands that ask running servers. */
export const serverFlags: FlagTable<ServerFlags> = {
  address: {
    name: 'address',
    type: optionalRemoteAddress,
    default: '',
    meaning:
      'host:port of the monitoring port of one server. Without this flag and those of a cluster: 127.0.0.1:15014',
    addition: true,
  },
  cluster: {
    name: 'cluster',
    type: bool,
    default: 'false',
    meaning:
      'Ask a cluster: all replicas of the control plane, through the API server. The kubeconfig is --kubeconfig, else KUBECONFIG, else ~/.kube/config, else the credentials of the pod',
    addition: true,
  },
  kubeconfig: {
    name: 'kubeconfig',
    type: text,
    default: '',
    meaning: 'File with the address and credentials of an API server; implies --cluster',
    addition: true,
  },
  context: {
    name: 'context',
    type: text,
    default: '',
    meaning: 'Context of the kubeconfig; implies --cluster. If not set, its current context',
    addition: true,
  },
  namespace: {
    name: 'namespace',
    shorthand: 'n',
    type: namespaceName,
    default: 'mesh-system',
    meaning: 'Namespace of the control plane in the cluster',
    addition: true,
  },
};
