import { median, type Spread, spreadOf } from '../measure/statistics.js';
import { type StepResult, type SubjectResult, stepsOf } from '../run/phase-result.js';
import type { BenchRun } from '../run/run-bench.js';
import type { Phase } from '../subject/subject.js';

/** One phase of one subject: every value is the median over the repeats. */
export interface PhaseSummary {
  readonly repeats: number;
  /** When the clients were done, in milliseconds since the phase was started or the change was written. */
  readonly clientMs: Spread;
  readonly lastMinusFirstMs: number;
  /** Of a storm: when the clients that stayed connected had the change. */
  readonly stayedMs: Spread | undefined;
  /** The longest block of the server's event loop. */
  readonly longestBlockMs: number | undefined;
  /** What sidecars on demand received of a change that they should not get; absent in other phases. */
  readonly unseenBytes?: number | undefined;
  readonly cpuSeconds: number | undefined;
  readonly residentBytes: number | undefined;
  readonly peakResidentBytes: number | undefined;
  /** Message bytes that the clients received, all together. */
  readonly receivedBytes: number;
  readonly clientCpuSeconds: number;
}

export interface PhaseReport {
  readonly phase: Phase;
  readonly server: PhaseSummary;
  readonly floor: PhaseSummary | undefined;
  /** Server by floor: of a first sync the last client's time, of a change (which is debounced) last minus first. */
  readonly timeRatio: number | undefined;
  readonly cpuRatio: number | undefined;
}

export interface BenchReport {
  readonly readyMs: number | undefined;
  readonly idleBytes: number | undefined;
  readonly grownBytes: number | undefined;
  readonly phases: readonly PhaseReport[];
}

/** Sums up a run; phases that were not asked for are left out. */
export function buildBenchReport(run: BenchRun, phases: readonly Phase[]): BenchReport {
  return {
    readyMs: medianOf(run.server.readyMs),
    idleBytes: medianOf(run.server.idleBytes),
    grownBytes: run.server.grownBytes,
    phases: phases.map((phase) => buildPhaseReport(phase, run.server, run.floor)),
  };
}

function buildPhaseReport(phase: Phase, server: SubjectResult, floor: SubjectResult | undefined): PhaseReport {
  const ours = summarisePhase(stepsOf(server, phase));
  const floorSteps = floor === undefined ? [] : stepsOf(floor, phase);
  const least = floorSteps.length === 0 ? undefined : summarisePhase(floorSteps);
  const timeOf = (summary: PhaseSummary) => (isSync(phase) ? summary.clientMs.last : summary.lastMinusFirstMs);
  return {
    phase,
    server: ours,
    floor: least,
    timeRatio: least === undefined ? undefined : timeOf(ours) / timeOf(least),
    cpuRatio:
      least?.cpuSeconds === undefined || ours.cpuSeconds === undefined ? undefined : ours.cpuSeconds / least.cpuSeconds,
  };
}

function summarisePhase(steps: readonly StepResult[]): PhaseSummary {
  const stayed = steps.filter(({ stayedMs }) => stayedMs.length > 0).map(({ stayedMs }) => spreadOf(stayedMs));
  const spreads = steps.map(({ clientMs }) => spreadOf(clientMs));
  return {
    repeats: steps.length,
    clientMs: medianSpread(spreads),
    stayedMs: stayed.length === 0 ? undefined : medianSpread(stayed),
    longestBlockMs: medianOf(steps.map(({ longestBlockMs }) => longestBlockMs)),
    lastMinusFirstMs: median(spreads.map(({ first, last }) => last - first)),
    cpuSeconds: medianOf(steps.map(({ cpuSeconds }) => cpuSeconds)),
    residentBytes: medianOf(steps.map(({ residentBytes }) => residentBytes)),
    peakResidentBytes: medianOf(steps.map(({ peakResidentBytes }) => peakResidentBytes)),
    unseenBytes: largestOf(steps.map(({ unseenBytes }) => unseenBytes)),
    receivedBytes: median(steps.map(({ receivedBytes }) => receivedBytes)),
    clientCpuSeconds: median(steps.map(({ clientCpuSeconds }) => clientCpuSeconds)),
  };
}

function medianSpread(spreads: readonly Spread[]): Spread {
  return {
    first: median(spreads.map(({ first }) => first)),
    median: median(spreads.map((spread) => spread.median)),
    p99: median(spreads.map(({ p99 }) => p99)),
    last: median(spreads.map(({ last }) => last)),
  };
}

/** Whether the clients of a phase wait for everything, so that the time counts from its start. */
export function isSync(phase: Phase): boolean {
  return phase === 'first-sync' || phase === 'reconnect' || phase === 'storm';
}

/** The median of the measured values; undefined without values. */
function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}

/** One repeat that sends something is enough to tell. */
function largestOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
