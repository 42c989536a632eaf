import { join, resolve } from 'node:path';
import { projectRoot } from '../../test/counterparts/project-root.js';
import { formatKubernetesReport, judgeKubernetes } from '../kubernetes/kubernetes-report.js';
import { requireTestcluster } from '../kubernetes/require-testcluster.js';
import { type KubernetesOptions, runKubernetes } from '../kubernetes/run-kubernetes.js';
import { spreadOf } from '../measure/statistics.js';
import type { BenchCommand, CommandOutput, Flags } from './bench-command.js';
import type { ParsedFlags } from './parsed-flags.js';
import { supervise } from './supervised-run.js';
import { parseWholeNumber, type WholeNumberRange } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

const RANGES = {
  services: { from: 1, to: 50_000 },
  endpoints: { from: 1, to: 100 },
  pods: { from: 1, to: 100_000 },
  namespaces: { from: 1, to: 1000 },
  clients: { from: 1, to: 10_000 },
  workers: { from: 1, to: 16 },
  starts: { from: 1, to: 100 },
  rate: { from: 1, to: 1000 },
  seconds: { from: 1, to: 3600 },
  'debounce-max': { from: 1, to: 60_000 },
  timeout: { from: 1, to: 3600 },
} as const satisfies Readonly<Record<string, WholeNumberRange>>;

const FLAGS = {
  services: { placeholder: 'N', default: '5000', description: 'Services, each with one EndpointSlice' },
  endpoints: { placeholder: 'N', default: '10', description: 'endpoints of each service' },
  pods: { placeholder: 'N', default: '5000', description: 'pods, each an endpoint of several services' },
  namespaces: { placeholder: 'N', default: '50', description: 'namespaces that they are spread over' },
  clients: { placeholder: 'N', default: '50', description: 'sidecars that connect' },
  workers: { placeholder: 'N', default: '1', description: 'threads that the clients are spread over' },
  starts: { placeholder: 'N', default: '3', description: 'starts of the server; the median counts' },
  rate: { placeholder: 'N', default: '100', description: 'endpoints changed per second' },
  seconds: { placeholder: 'N', default: '60', description: 'how long; 600 to see whether memory is flat' },
  'debounce-max': { placeholder: 'MS', default: '10000', description: 'NAV_DEBOUNCE_MAX of the server' },
  timeout: { placeholder: 'SECONDS', default: '120', description: 'how long any single wait may take' },
  profile: { placeholder: 'DIR', description: 'write a CPU profile of each server there' },
  ...RESULT_FLAGS,
} as const satisfies Flags;

/** How the server does in a large cluster. */
export const kubernetesCommand: BenchCommand = {
  name: 'kubernetes',
  summary: 'Measures the server on a large cluster: its start, its memory, and changes of endpoints.',
  details: `Makes the cluster once (a minute, kept in .cache), starts etcd and kube-apiserver on it, and then the
server as a process of its own. The floor lists and watches the same, parses the JSON and drops it.`,
  operands: [],
  flags: FLAGS,
  run: (flags, output) => runKubernetesCommand(parseOptions(flags), flags, output),
};

function parseOptions(flags: ParsedFlags): KubernetesOptions {
  const number = (name: keyof typeof RANGES): number => parseWholeNumber(`--${name}`, flags.text(name), RANGES[name]);
  const profile = flags.text('profile');
  return {
    size: {
      services: number('services'),
      endpointsPerService: number('endpoints'),
      pods: number('pods'),
      namespaces: number('namespaces'),
    },
    clients: number('clients'),
    workers: number('workers'),
    starts: number('starts'),
    perSecond: number('rate'),
    seconds: number('seconds'),
    debounceMaxMs: number('debounce-max'),
    timeoutMs: number('timeout') * 1000,
    profileFolder: profile === undefined ? undefined : resolve(profile),
  };
}

async function runKubernetesCommand(
  options: KubernetesOptions,
  flags: ParsedFlags,
  output: CommandOutput,
): Promise<number> {
  const binary = requireTestcluster();
  const keptFolder = join(projectRoot(), '.cache/bench-clusters');
  const result = await supervise((parts) => runKubernetes(options, { ...parts, binary, keptFolder }));
  const goals = judgeKubernetes(result);
  const { writeMs, floorMs, clientMs, ...churn } = result.churn;
  const spreads = { writeMs: spreadOf(writeMs), floorMs: spreadOf(floorMs), clientMs: spreadOf(clientMs) };
  return await writeResult(flags, output, {
    text: (style) => formatKubernetesReport(options, result, style),
    document: { options, ...result, churn: { ...churn, ...spreads }, goals },
    areGoalsMet: goals.every(({ met }) => met),
  });
}
