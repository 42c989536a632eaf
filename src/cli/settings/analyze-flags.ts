import { bool, oneOf } from '../values/scalar-types.js';
import { namespaceName } from '../values/text-types.js';
import { discoveryFlags } from './discovery-flags.js';
import type { FlagTable } from './setting.js';

const LEVELS = ['info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** The values of the flags of the `analyze` command. */
export interface AnalyzeFlags {
  readonly output: 'text' | 'json';
  readonly failureThreshold: Level;
  readonly outputThreshold: Level;
  readonly defaultNamespace: string;
  readonly complete: boolean;
  readonly color: 'auto' | 'always' | 'never';
}

/** The flags of the `analyze` command. The flags of `discovery` that it shares are read with those of `discovery`. */
export const analyzeFlags: FlagTable<AnalyzeFlags> = {
  output: {
    name: 'output',
    shorthand: 'o',
    type: oneOf(['text', 'json']),
    default: 'text',
    meaning: 'text for people, json for programs',
    addition: true,
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
  color: {
    name: 'color',
    type: oneOf(['auto', 'always', 'never']),
    default: 'auto',
    meaning: 'Colours: auto uses them on a terminal, unless NO_COLOR is set',
    addition: true,
  },
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
