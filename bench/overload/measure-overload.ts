import { CHECKED_HOST } from '../envoy/checked-mesh.js';
import { launchCheckedMesh } from '../envoy/launch-checked-mesh.js';
import { createPacemaker } from '../load/pacemaker.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import type { PolicyWorkload } from '../policy/workload.js';
import type { Cleanup } from '../run/cleanup.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import { prepareChecks } from './check-calls.js';
import { type OfferedResult, offerLoad } from './offered-load.js';

export type OverloadSubject = 'floor' | 'policy';

/** One subject at one rate, in one round. */
export interface OverloadResult extends OfferedResult {
  readonly subject: OverloadSubject;
  readonly perSecond: number;
  /** Processor time of the server for each call that it answered; undefined without /proc. */
  readonly cpuUsPerAnswer: number | undefined;
}

export interface MeasureOverloadOptions {
  readonly workload: PolicyWorkload;
  readonly rates: readonly number[];
  readonly rounds: number;
  readonly secondsPerRound: number;
  readonly processes: OwnedProcesses;
  readonly cleanup: Cleanup;
  readonly progress: (what: string) => void;
}

const WARM_UP = { perSecond: 1000, seconds: 4 };

/**
 * Sends Checks to the policy server and to the bare server in turns, so that other work of the machine affects both.
 */
export async function measureOverload(options: MeasureOverloadOptions): Promise<readonly OverloadResult[]> {
  const { workload, processes, cleanup, progress } = options;
  progress('starting the policy server');
  const { discovery, floors } = await launchCheckedMesh({ workload, processes, cleanup });
  const pacemaker = createPacemaker();
  cleanup.add(() => pacemaker.close());
  const shared = { calls: prepareChecks(workload, CHECKED_HOST), connections: 1, nowMs: monotonicMs };
  const subjects = [
    { subject: 'floor', port: floors.grpc.port, pid: floors.grpc.pid },
    { subject: 'policy', port: discovery.policyPort, pid: discovery.pid },
  ] as const;
  for (const { port } of subjects) await offerLoad({ ...shared, ...WARM_UP, port, until: pacemaker.until });
  const results: OverloadResult[] = [];
  for (const perSecond of options.rates) {
    for (let round = 1; round <= options.rounds; round++) {
      for (const { subject, port, pid } of subjects) {
        progress(`${perSecond} per second, round ${round} of ${options.rounds}: ${subject}`);
        const before = await cpuSecondsOf(pid);
        const seconds = options.secondsPerRound;
        const offered = await offerLoad({ ...shared, perSecond, seconds, port, until: pacemaker.until });
        const after = await cpuSecondsOf(pid);
        const answers = offered.decided + offered.shed;
        const cpuUsPerAnswer =
          before === undefined || after === undefined ? undefined : ((after - before) * 1e6) / answers;
        results.push({ subject, perSecond, ...offered, cpuUsPerAnswer });
      }
    }
  }
  return results;
}

async function cpuSecondsOf(pid: number | undefined): Promise<number | undefined> {
  return pid === undefined ? undefined : (await readProcessUsage(pid))?.cpuSeconds;
}
