import { readProcessUsage } from '../measure/process-usage.js';
import { launchDiscovery } from '../subject/launch-discovery.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import { measureFloorStart } from './floor-start.js';
import type { StartCase, StartFigure, StartResult } from './start-case.js';

export interface StartsOptions {
  readonly processes: OwnedProcesses;
  readonly workFolder: string;
  /** Of each case. */
  readonly starts: number;
  readonly timeoutMs: number;
  /** Flags of Node for the server, such as those of a profile. */
  readonly nodeFlags: readonly string[];
  readonly progress: (what: string) => void;
}

/** Starts the floor and each case in turns, so that other work of the machine affects all of them. */
export async function measureStarts(cases: readonly StartCase[], options: StartsOptions): Promise<StartResult[]> {
  const floor: StartFigure[] = [];
  const measured = cases.map(() => [] as StartFigure[]);
  for (let start = 1; start <= options.starts; start++) {
    options.progress(`start ${start} of ${options.starts}`);
    floor.push(await measureFloorStart(options.processes));
    for (const [index, each] of cases.entries()) measured[index]?.push(await measureStart(each, options));
  }
  const results = cases.map(({ name, goal }, index) => ({ name, goal, figures: measured[index] ?? [] }));
  return [{ name: 'floor: a bare gRPC server', figures: floor }, ...results];
}

async function measureStart({ launch }: StartCase, options: StartsOptions): Promise<StartFigure> {
  const { processes, workFolder, timeoutMs, nodeFlags } = options;
  const server = await launchDiscovery({ processes, workFolder, timeoutMs, nodeFlags, ...launch });
  const usage = await readProcessUsage(server.pid ?? 0);
  await server.stop();
  return {
    readyMs: server.readyMs,
    cpuSeconds: usage?.cpuSeconds ?? Number.NaN,
    residentBytes: usage?.residentBytes ?? Number.NaN,
  };
}
