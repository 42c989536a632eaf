import { join, resolve } from 'node:path';
import { formatConnectionsReport, judgeConnections } from '../connections/connections-report.js';
import { measureConnections } from '../connections/measure-connections.js';
import { MAX_REPEATS } from '../mesh/mesh-change.js';
import { meshFiles, writeMeshFolder } from '../mesh/mesh-folder.js';
import { buildMeshServices } from '../mesh/mesh-shape.js';
import { startDiscoveryProcess } from '../subject/discovery-process.js';
import type { BenchCommand } from './bench-command.js';
import { MESH_FLAGS } from './mesh-flags.js';
import { supervise } from './supervised-run.js';
import { UsageError } from './usage-error.js';
import { parseWholeNumber } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

const NAMESPACES = 10;

/** What connected sidecars cost that do nothing, and a change with very many of them. */
export const connectionsCommand: BenchCommand = {
  name: 'connections',
  summary: 'Measures memory for each connected sidecar, and an endpoint change with very many of them.',
  details: `Each sidecar is a bare HTTP/2 connection with a delta stream. It takes everything, keeps nothing, and
acknowledges. All connect from one address, with the default limits of the server: none may be turned away.`,
  operands: [],
  flags: {
    services: MESH_FLAGS.services,
    endpoints: MESH_FLAGS.endpoints,
    clients: { placeholder: 'N', default: '10000', description: 'sidecars that connect' },
    few: { placeholder: 'N', default: '100', description: 'sidecars that connect first; fewer than --clients' },
    'at-once': { placeholder: 'N', default: '50', description: 'sidecars that sync at the same time' },
    workers: { placeholder: 'N', default: '2', description: 'processes that the sidecars are spread over' },
    repeat: { placeholder: 'N', default: '3', description: 'endpoint changes' },
    settle: { placeholder: 'SECONDS', default: '20', description: 'pause before memory is read, to collect garbage' },
    timeout: { placeholder: 'SECONDS', default: '600', description: 'how long any single wait may take' },
    profile: { placeholder: 'DIR', description: 'write a CPU profile of the server there' },
    ...RESULT_FLAGS,
  },
  async run(flags, output) {
    const number = (name: string, from: number, to: number) =>
      parseWholeNumber(`--${name}`, flags.text(name), { from, to });
    const size = {
      ...{ services: number('services', 10, 20_000), endpointsPerService: number('endpoints', 1, 250) },
      ...{ namespaces: NAMESPACES, routed: 0, scopes: 0 },
    };
    const clients = number('clients', 2, 50_000);
    const few = number('few', 1, 50_000);
    if (few >= clients) throw new UsageError(`--few: "${few}" is not fewer than --clients, which is ${clients}.`);
    const numbers = {
      ...{ clients, few, atOnce: number('at-once', 1, 10_000), workers: number('workers', 1, 16) },
      repeat: number('repeat', 1, MAX_REPEATS),
      ...{ settleMs: number('settle', 0, 600) * 1000, timeoutMs: number('timeout', 1, 3600) * 1000 },
    };
    const profile = flags.text('profile');
    const nodeFlags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', resolve(profile)];
    const services = buildMeshServices(size);
    const result = await supervise(async ({ processes, progress, createWorkFolder }) => {
      const workFolder = await createWorkFolder();
      const folders = { meshFolder: join(workFolder, 'mesh'), stagingFolder: join(workFolder, 'staging') };
      await writeMeshFolder(folders.meshFolder, meshFiles(services, size));
      progress('starting the server');
      const { timeoutMs } = numbers;
      const subject = await startDiscoveryProcess({ ...folders, workFolder, processes, timeoutMs, nodeFlags });
      const measured = await measureConnections(subject, { ...numbers, processes, services, progress });
      await subject.stop();
      return measured;
    });
    const goals = judgeConnections(result);
    return await writeResult(flags, output, {
      text: (style) => formatConnectionsReport(result, style),
      document: { size, ...numbers, result, goals },
      areGoalsMet: goals.every(({ met }) => met),
    });
  },
};
