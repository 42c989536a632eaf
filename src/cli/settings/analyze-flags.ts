import { bool, oneOf } from '../values/scalar-types.js';
import { namespaceName } from '../values/text-types.js';
import { discoveryFlags } from './discovery-flags.js';
import { outputFlags } from './output-flags.js';
import { type ServerFlags, serverFlags } from './server-flags.js';
import type { FlagTable } from './setting.js';

const LEVELS = ['info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** The values of the flags of the `analyze` command. */
export interface AnalyzeFlags extends Omit<ServerFlags, 'namespace'> {
  readonly output: 'text' | 'json' | 'sarif';
  readonly failureThreshold: Level;
  readonly outputThreshold: Level;
  readonly defaultNamespace: string;
  readonly complete: boolean;
  readonly color: 'auto' | 'always' | 'never';
}

/** The flags of the `analyze` command. The flags of `discovery` that it shares are read with those of `discovery`. */
export const analyzeFlags: FlagTable<AnalyzeFlags> = {
  output: {
    ...outputFlags.output,
    type: oneOf(['text', 'json', 'sarif']),
    meaning: 'text for people, json for programs, sarif (2.1.0) for code hosts and editors',
  },
  failureThreshold: {
    name: 'failure-threshold',
    type: oneOf(LEVELS),
    default: 'error',
    meaning: 'Findings of this level and above end the command with exit code 2: info, warn or error',
    addition: true,
  },
  outputThreshold: {
    name: 'output-threshold',
    type: oneOf(LEVELS),
    default: 'info',
    meaning: 'Findings below this level are not printed: info, warn or error',
    addition: true,
  },
  defaultNamespace: {
    name: 'namespace',
    shorthand: 'n',
    type: namespaceName,
    default: 'default',
    meaning: 'Namespace of objects whose metadata has none',
    addition: true,
  },
  complete: {
    name: 'complete',
    type: bool,
    default: 'false',
    meaning: 'The input is the whole mesh, so references to objects that it lacks are reported',
    addition: true,
  },
  color: outputFlags.color,
  address: {
    ...serverFlags.address,
    meaning: 'Analyze the objects that the server with this monitoring port (host:port) has read',
  },
  cluster: {
    ...serverFlags.cluster,
    meaning:
      'Analyze the objects of a cluster, as its API server has them. The kubeconfig is --kubeconfig, else KUBECONFIG, else ~/.kube/config, else the credentials of the pod',
  },
  kubeconfig: serverFlags.kubeconfig,
  context: serverFlags.context,
};

/** Flags of `discovery` that `analyze` accepts too. */
export const sharedAnalyzeFlags = {
  meshConfigFile: {
    ...discoveryFlags.meshConfigFile,
    default: '',
    meaning: 'File of the mesh config; without it, findings about settings of the mesh are left out',
  },
  networksConfigFile: {
    ...discoveryFlags.networksConfigFile,
    default: '',
    meaning: 'File of the mesh networks; without it, the mesh is one network',
  },
  domain: discoveryFlags.domain,
  plugins: discoveryFlags.plugins,
  trustDomain: discoveryFlags.trustDomain,
} as const;
