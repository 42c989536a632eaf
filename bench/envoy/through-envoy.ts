import { BenchError } from '../cli/bench-error.js';
import { createHttpSender, type HttpSender, type SentRequest } from '../load/http-sender.js';
import { runOpenLoop } from '../load/open-loop.js';
import { createPacemaker, type Pacemaker } from '../load/pacemaker.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import type { PolicyWorkload } from '../policy/workload.js';
import type { Cleanup } from '../run/cleanup.js';
import { findFreePorts } from '../subject/free-ports.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import { allowedStatOf, buildCheckBootstrap } from './check-bootstrap.js';
import { CHECK_FILTER_NAME, CHECKED_NODE_ID } from './checked-mesh.js';
import { type EnvoyProcess, startEnvoyProcess } from './envoy-process.js';
import { launchCheckedMesh, START_TIMEOUT_MS } from './launch-checked-mesh.js';
import { type RoundResult, roundResultOf, VARIANTS, type Variant } from './round-result.js';

/** The first request of a new process waits for its compiler, so it is not measured. */
const WARM_UP_SECONDS = 3;

export interface ThroughEnvoyOptions {
  readonly workload: PolicyWorkload;
  readonly binary: string;
  readonly perSecond: number;
  /** Of each variant. */
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
 * Sends the same requests through one Envoy without a check, with a check by the floor, and with a check by the policy
 * server, in turns. Other work of the machine then affects all of them.
 */
export async function measureThroughEnvoy(options: ThroughEnvoyOptions): Promise<readonly RoundResult[]> {
  const { workload, rounds, secondsPerRound, progress } = options;
  const pacemaker = createPacemaker();
  options.cleanup.add(() => pacemaker.close());
  progress('starting Envoy and the policy server');
  const { envoy, targets } = await startTargets(options);
  const requests = workload.requests.map(({ method, target, host, headers }): SentRequest => {
    const sent = [...headers].filter(([name]) => !name.startsWith(':') && name !== 'x-mesh-attributes');
    return { method, path: target, headers: { ...Object.fromEntries(sent), host } };
  });
  for (const target of targets) await measureRound({ ...options, pacemaker }, envoy, target, requests, WARM_UP_SECONDS);
  const results: RoundResult[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const target of targets) {
      progress(`round ${round} of ${rounds}: ${target.variant}`);
      results.push(await measureRound({ ...options, pacemaker }, envoy, target, requests, secondsPerRound));
    }
  }
  return results;
}

async function startTargets({ workload, binary, processes, cleanup }: ThroughEnvoyOptions) {
  const { workFolder, discovery, floor } = await launchCheckedMesh({ workload, processes, cleanup });
  const [adminPort = 0, plain = 0, floorListener = 0, policy = 0] = await findFreePorts(4);
  const envoy = await startEnvoyProcess({
    processes,
    binary,
    adminPort,
    workFolder,
    timeoutMs: START_TIMEOUT_MS,
    bootstrap: buildCheckBootstrap({
      adminPort,
      ports: { plain, floor: floorListener, policy },
      discoveryPort: discovery.grpcPort,
      floorPort: floor.port,
      nodeId: CHECKED_NODE_ID,
      filterName: CHECK_FILTER_NAME,
    }),
  });
  const ports: Readonly<Record<Variant, number>> = { plain, floor: floorListener, policy };
  const pids: Readonly<Record<Variant, number | undefined>> = {
    plain: undefined,
    floor: floor.pid,
    policy: discovery.pid,
  };
  const targets = VARIANTS.map((variant): Target => {
    const sender = createHttpSender(ports[variant]);
    cleanup.add(async () => sender.close());
    return { variant, sender, serverPid: pids[variant] };
  });
  return { envoy, targets };
}

async function measureRound(
  { perSecond, pacemaker }: ThroughEnvoyOptions & { readonly pacemaker: Pacemaker },
  envoy: EnvoyProcess,
  { variant, sender, serverPid }: Target,
  requests: readonly SentRequest[],
  seconds: number,
): Promise<RoundResult> {
  const allowed = async () => (variant === 'plain' ? 0 : envoy.stat(allowedStatOf(variant)));
  const allowedBefore = await allowed();
  const cpuBefore = await cpuSecondsOf(serverPid);
  const send = async (index: number): Promise<boolean> => {
    const request = requests[index % requests.length];
    return request !== undefined && (await sender.send(request)) === 200;
  };
  const load = { perSecond, seconds, send, nowMs: monotonicMs, until: pacemaker.until };
  const samples = await Promise.race([runOpenLoop(load), envoy.failed]);
  const cpuAfter = await cpuSecondsOf(serverPid);
  const unchecked = samples.length - ((await allowed()) - allowedBefore);
  if (variant !== 'plain' && unchecked > samples.filter(({ isGood }) => !isGood).length) {
    throw new BenchError(
      'envoy-failed',
      `Envoy let ${unchecked} of ${samples.length} requests by unchecked (${variant}).`,
    );
  }
  const cpuSeconds = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
  return roundResultOf(variant, samples, cpuSeconds);
}

async function cpuSecondsOf(pid: number | undefined): Promise<number | undefined> {
  return pid === undefined ? undefined : (await readProcessUsage(pid))?.cpuSeconds;
}
