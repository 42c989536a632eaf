import { join, resolve } from 'node:path';
import { findTestcluster } from '../../test/counterparts/kubernetes/find-testcluster.js';
import { projectRoot } from '../../test/counterparts/project-root.js';
import { startMadeCluster } from '../kubernetes/made-cluster.js';
import { meshFiles, writeMeshFolder } from '../mesh/mesh-folder.js';
import { buildMeshServices } from '../mesh/mesh-shape.js';
import type { Cleanup } from '../run/cleanup.js';
import { measureStarts } from '../start/measure-starts.js';
import type { StartCase } from '../start/start-case.js';
import { formatStartReport, judgeStarts } from '../start/start-report.js';
import type { BenchCommand } from './bench-command.js';
import { BenchError } from './bench-error.js';
import { supervise } from './supervised-run.js';
import { parseWholeNumber } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

const TIMEOUT_MS = 60_000;
const NAMESPACES = 10;
const FROM_FILES = { readySeconds: 0.7, residentMebibytes: 110 } as const;
const BESIDE_CLUSTER = { readySeconds: 0.9, residentMebibytes: 140 } as const;

/** How long the server takes to start. */
export const startCommand: BenchCommand = {
  name: 'start',
  summary: 'Measures a start: time until ready, processor time and memory, from files and beside a cluster.',
  details: `Cases: the sample mesh, a folder with --services services, and a cluster with as many Services and
EndpointSlices (made once and kept in .cache). The floor is a bare gRPC server.`,
  operands: [],
  flags: {
    starts: { placeholder: 'N', description: 'Starts of each case; medians are shown.', default: '7' },
    services: { placeholder: 'N', description: 'Services with 10 endpoints each.', default: '1000' },
    cluster: { description: 'Leave out the start beside a cluster.', default: true },
    profile: { placeholder: 'DIR', description: 'Write a CPU profile of each start there.' },
    ...RESULT_FLAGS,
  },
  async run(flags, output) {
    const starts = parseWholeNumber('--starts', flags.text('starts'), { from: 1, to: 100 });
    const services = parseWholeNumber('--services', flags.text('services'), { from: 10, to: 20_000 });
    const profile = flags.text('profile');
    const results = await supervise(async ({ processes, cleanup, progress, createWorkFolder }) => {
      const workFolder = await createWorkFolder();
      const cases = [sampleCase(), await folderCase(join(workFolder, 'mesh'), services)];
      if (flags.isOn('cluster')) cases.push(await clusterCase(services, cleanup, progress));
      cleanup.add(() => processes.endAll());
      const nodeFlags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', resolve(profile)];
      const options = { processes, workFolder, starts, timeoutMs: TIMEOUT_MS, nodeFlags, progress };
      return await measureStarts(cases, options);
    });
    const goals = judgeStarts(results);
    return await writeResult(flags, output, {
      text: (style) => formatStartReport(results, starts, style),
      document: { services, results, goals },
      areGoalsMet: goals.every(({ met }) => met),
    });
  },
};

/** As `npm start` does it. */
function sampleCase(): StartCase {
  const samples = join(projectRoot(), 'samples');
  const settings = { meshConfig: 'mesh-config', networksConfig: 'mesh-networks', policyConfig: 'policy' };
  const flags = Object.entries(settings).flatMap(([flag, file]) => [`--${flag}`, join(samples, `${file}.yaml`)]);
  return { name: 'sample mesh', goal: FROM_FILES, launch: { meshFolder: join(samples, 'mesh'), flags } };
}

async function folderCase(meshFolder: string, services: number): Promise<StartCase> {
  const size = { services, endpointsPerService: 10, namespaces: NAMESPACES, routed: 0, scopes: 0 };
  await writeMeshFolder(meshFolder, meshFiles(buildMeshServices(size), size));
  return { name: `${services} services from files`, goal: FROM_FILES, launch: { meshFolder } };
}

async function clusterCase(services: number, cleanup: Cleanup, progress: (what: string) => void): Promise<StartCase> {
  const found = findTestcluster();
  if (!('value' in found))
    throw new BenchError('kubernetes-missing', `${found.missing}; or leave it out: --no-cluster.`);
  const api = await startMadeCluster({
    binary: found.value,
    size: { services, endpointsPerService: 10, pods: services, namespaces: NAMESPACES },
    keptFolder: join(projectRoot(), '.cache/bench-clusters'),
    cleanup,
    progress,
  });
  return {
    name: `${services} services of a cluster`,
    goal: BESIDE_CLUSTER,
    launch: { flags: ['--orchconfig', api.kubeconfig] },
  };
}
