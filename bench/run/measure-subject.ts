import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet, FleetProgress } from '../client/fleet.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage, resetPeak } from '../measure/process-usage.js';
import { expectationOf, isWarmUp, type StartSubject, type Step, type Subject } from '../subject/subject.js';
import { awaitPhase } from './await-phase.js';
import type { StepResult, SubjectResult } from './phase-result.js';

/** How long a fresh server is left alone before its idle memory is read. */
const IDLE_MS = 500;

export interface MeasureOptions {
  /** `server`, `floor` or `target`, for messages. */
  readonly label: string;
  readonly start: StartSubject;
  readonly fleet: Fleet;
  /** In order, starting with a first sync. Each first sync restarts the subject; other steps use the running one. */
  readonly steps: readonly Step[];
  readonly timeoutMs: number;
  readonly progress: (what: string, progress: FleetProgress) => void;
}

/** Runs all steps against one subject, and always ends it. */
export async function measureSubject(options: MeasureOptions): Promise<SubjectResult> {
  const readyMs: number[] = [];
  const idleBytes: number[] = [];
  const steps: StepResult[] = [];
  let grownBytes: number | undefined;
  let subject: Subject | undefined;
  try {
    for (const step of options.steps) {
      if (step.phase === 'first-sync') {
        await endSubject(subject, options.fleet);
        subject = undefined;
        subject = await options.start();
        if (subject.readyMs !== undefined) readyMs.push(subject.readyMs);
        const idle = await readIdleBytes(subject);
        if (idle !== undefined) idleBytes.push(idle);
      }
      if (subject === undefined) throw new RangeError('The steps of a run begin with a first sync.');
      const result = await measureStep(subject, step, options);
      steps.push(result);
      const idle = idleBytes.at(-1);
      if (idle !== undefined && result.peakResidentBytes !== undefined) {
        grownBytes = Math.max(grownBytes ?? 0, result.peakResidentBytes - idle);
      }
    }
    await options.fleet.disarm();
  } finally {
    await subject?.stop();
  }
  return { readyMs, idleBytes, grownBytes, steps };
}

async function endSubject(subject: Subject | undefined, fleet: Fleet): Promise<void> {
  if (subject === undefined) return;
  await fleet.disarm();
  await subject.stop();
}

async function readIdleBytes(subject: Subject): Promise<number | undefined> {
  if (subject.pid === undefined) return undefined;
  await Promise.race([delay(IDLE_MS), subject.failed]);
  await resetPeak(subject.pid);
  return (await readProcessUsage(subject.pid))?.residentBytes;
}

async function measureStep(subject: Subject, step: Step, options: MeasureOptions): Promise<StepResult> {
  const { fleet } = options;
  const what = `${PHASE_WORDS[step.phase]} ${placeOf(step, options.steps)} (${options.label})`;
  await subject.prepare(step);
  if (step.phase === 'first-sync') await fleet.arm(subject.address);
  await fleet.begin(expectationOf(step));

  // To read the longest block begins another measurement of it.
  await subject.longestBlockMs?.();
  const before = subject.pid === undefined ? undefined : await readProcessUsage(subject.pid);
  const clientsBefore = process.cpuUsage();
  const startedAtMs = monotonicMs();
  await Promise.race([begin(subject, step, fleet), subject.failed]);
  await awaitPhase(fleet, subject.failed, {
    what,
    timeoutMs: options.timeoutMs,
    progress: (progress) => options.progress(what, progress),
  });
  const clientsUsed = process.cpuUsage(clientsBefore);
  const after = subject.pid === undefined ? undefined : await readProcessUsage(subject.pid);

  const longestBlockMs = await subject.longestBlockMs?.();

  const { completedAtMs, stayedAtMs, receivedBytes, unseenBytes, recording } = await fleet.collect();
  return {
    step,
    clientMs: completedAtMs.map((atMs) => atMs - startedAtMs),
    stayedMs: stayedAtMs.map((atMs) => atMs - startedAtMs),
    longestBlockMs,
    receivedBytes,
    unseenBytes,
    cpuSeconds: before === undefined || after === undefined ? undefined : after.cpuSeconds - before.cpuSeconds,
    residentBytes: after?.residentBytes,
    peakResidentBytes: after?.peakResidentBytes,
    clientCpuSeconds: (clientsUsed.user + clientsUsed.system) / 1e6,
    recording,
  };
}

async function begin(subject: Subject, step: Step, fleet: Fleet): Promise<void> {
  if (step.phase === 'storm') {
    await Promise.all([fleet.reconnect(), subject.trigger()]);
    return;
  }
  if (step.phase === 'first-sync') await fleet.go();
  else if (step.phase === 'reconnect') await fleet.reconnect();
  else await subject.trigger();
}

function placeOf(step: Step, steps: readonly Step[]): string {
  if (isWarmUp(step)) return 'to warm up';
  const repeats = steps.filter((each) => each.phase === step.phase && !isWarmUp(each)).length;
  return `${step.repeat + 1} of ${repeats}`;
}

const PHASE_WORDS = {
  'first-sync': 'first sync',
  endpoint: 'endpoint change',
  service: 'service change',
  route: 'route change',
  reconnect: 'reconnect',
  storm: 'storm',
} as const;
