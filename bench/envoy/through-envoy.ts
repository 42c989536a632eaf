import { findFreePorts } from '../../test/counterparts/free-ports.js';
import { BenchError } from '../cli/bench-error.js';
import { createHttpSender, type HttpSender, type SentRequest } from '../load/http-sender.js';
import { runOpenLoop } from '../load/open-loop.js';
import { createPacemaker, type Pacemaker } from '../load/pacemaker.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import type { PolicyWorkload } from '../policy/workload.js';
import type { Cleanup } from '../run/cleanup.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import { allowedStatOf, buildCheckBootstrap, type CheckedVariant } from './check-bootstrap.js';
import { CHECK_FILTER_NAME, CHECKED_NODE_ID, FAST_FILTER_NAME } from './checked-mesh.js';
import { type EnvoyProcess, startEnvoyProcess } from './envoy-process.js';
import { launchCheckedMesh, START_TIMEOUT_MS } from './launch-checked-mesh.js';
import { type RoundResult, roundResultOf, VARIANTS, type Variant } from './round-result.js';

/** The first requests of a new process wait for its compiler, so they are not measured. */
const WARM_UP = { perSecond: 3000, seconds: 10 };
/** For answers after the last request of a round. A check is answered within 5 s. */
const LONGEST_WAIT_MS = 30_000;
/** Status of a request that the fail policy refuses. */
const REFUSED = 503;

export interface ThroughEnvoyOptions {
  readonly workload: PolicyWorkload;
  readonly binary: string;
  /** Requests per second, one rate after the other. */
  readonly rates: readonly number[];
  /** Of each variant at each rate. */
  readonly rounds: number;
  readonly secondsPerRound: number;
  readonly processes: OwnedProcesses;
  readonly cleanup: Cleanup;
  readonly progress: (what: string) => void;
}

/** A listener of the measured Envoy, and the process that answers its checks. */
interface Target {
  readonly variant: Variant;
  readonly sender: HttpSender;
  /** Undefined without a check. */
  readonly serverPid: number | undefined;
}

/**
 * Sends the same requests through one Envoy without a check, with a check by each floor, with a check by the policy server,
 * and with fast quotas, in turns. Other work of the machine then affects all of them.
 */
export async function measureThroughEnvoy(options: ThroughEnvoyOptions): Promise<readonly RoundResult[]> {
  const { workload, rates, rounds, secondsPerRound, progress } = options;
  const pacemaker = createPacemaker();
  options.cleanup.add(() => pacemaker.close());
  progress('starting Envoy and the policy server');
  const { envoy, targets } = await startTargets(options);
  const requests = workload.requests.map(({ method, target, host, headers }): SentRequest => {
    const sent = [...headers].filter(([name]) => !name.startsWith(':') && name !== 'x-mesh-attributes');
    return { method, path: target, headers: { ...Object.fromEntries(sent), host } };
  });
  const load = { envoy, requests, until: pacemaker.until };
  for (const target of targets) await measureRound({ ...load, ...WARM_UP }, target);
  const results: RoundResult[] = [];
  for (const perSecond of rates) {
    for (let round = 1; round <= rounds; round++) {
      for (const target of targets) {
        progress(`${perSecond} per second, round ${round} of ${rounds}: ${target.variant}`);
        results.push(await measureRound({ ...load, perSecond, seconds: secondsPerRound }, target));
      }
    }
  }
  return results;
}

async function startTargets({ workload, binary, processes, cleanup }: ThroughEnvoyOptions) {
  const { workFolder, discovery, floors } = await launchCheckedMesh({ workload, processes, cleanup });
  const [adminPort = 0, plain = 0, grpcFloor = 0, httpFloor = 0, policy = 0, fast = 0] = await findFreePorts(6);
  const ports: Readonly<Record<Variant, number>> = { plain, grpcFloor, httpFloor, policy, fast };
  const envoy = await startEnvoyProcess({
    processes,
    binary,
    adminPort,
    workFolder,
    timeoutMs: START_TIMEOUT_MS,
    bootstrap: buildCheckBootstrap({
      adminPort,
      ports,
      discoveryPort: discovery.grpcPort,
      floorPorts: { grpc: floors.grpc.port, http: floors.http.port },
      nodeId: CHECKED_NODE_ID,
      filterName: CHECK_FILTER_NAME,
      fastFilterName: FAST_FILTER_NAME,
    }),
  });
  const pids: Readonly<Record<Variant, number | undefined>> = {
    plain: undefined,
    grpcFloor: floors.grpc.pid,
    httpFloor: floors.http.pid,
    policy: discovery.pid,
    fast: discovery.pid,
  };
  const targets = VARIANTS.map((variant): Target => {
    const sender = createHttpSender(ports[variant]);
    cleanup.add(async () => sender.close());
    return { variant, sender, serverPid: pids[variant] };
  });
  return { envoy, targets };
}

interface RoundLoad {
  readonly envoy: EnvoyProcess;
  readonly requests: readonly SentRequest[];
  readonly perSecond: number;
  readonly seconds: number;
  readonly until: Pacemaker['until'];
}

async function measureRound(
  { envoy, requests, perSecond, seconds, until }: RoundLoad,
  { variant, sender, serverPid }: Target,
): Promise<RoundResult> {
  const allowed = async () => (isChecked(variant) ? envoy.stat(allowedStatOf(variant)) : 0);
  const allowedBefore = await allowed();
  const cpuBefore = await cpuSecondsOf(serverPid);
  let refused = 0;
  const send = async (index: number): Promise<boolean> => {
    const request = requests[index % requests.length];
    const status = request === undefined ? 0 : await sender.send(request);
    if (status === REFUSED) refused++;
    return status === 200;
  };
  // Requests without an answer must not keep the run from ending.
  const giveUp = setTimeout(() => sender.close(), seconds * 1000 + LONGEST_WAIT_MS);
  const samples = await Promise.race([
    runOpenLoop({ perSecond, seconds, send, nowMs: monotonicMs, until }),
    envoy.failed,
  ]).finally(() => clearTimeout(giveUp));
  const cpuAfter = await cpuSecondsOf(serverPid);
  const unchecked = samples.length - ((await allowed()) - allowedBefore);
  if (isChecked(variant) && unchecked > samples.filter(({ isGood }) => !isGood).length) {
    throw new BenchError(
      'envoy-failed',
      `Envoy let ${unchecked} of ${samples.length} requests by unchecked (${variant}).`,
    );
  }
  const cpuSeconds = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
  return roundResultOf({ variant, perSecond, samples, refused, cpuSeconds });
}

function isChecked(variant: Variant): variant is CheckedVariant {
  return variant !== 'plain' && variant !== 'fast';
}

async function cpuSecondsOf(pid: number | undefined): Promise<number | undefined> {
  return pid === undefined ? undefined : (await readProcessUsage(pid))?.cpuSeconds;
}
