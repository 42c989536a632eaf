import type { Recording } from '../client/recording.js';
import type { Phase, Step } from '../subject/subject.js';

/** Measurements of one repeat of one phase of one subject. */
export interface StepResult {
  readonly step: Step;
  /** When each client was done, in milliseconds since the phase was started or the change was written. */
  readonly clientMs: readonly number[];
  /** In a storm: when the clients that stayed connected had the change, in milliseconds since it was written. */
  readonly stayedMs: readonly number[];
  /** The longest block of the server's event loop; undefined for other programs. */
  readonly longestBlockMs: number | undefined;
  readonly receivedBytes: number;
  /** What clients on demand received of a change that none of them should get; undefined in other phases. */
  readonly unseenBytes?: number | undefined;
  /** Processor time of the server from the start of the phase until it was quiet again; undefined without its pid. */
  readonly cpuSeconds: number | undefined;
  readonly residentBytes: number | undefined;
  /** The most that was resident since the process was idle. */
  readonly peakResidentBytes: number | undefined;
  readonly clientCpuSeconds: number;
  readonly recording: Recording;
}

/** Everything measured of one subject. */
export interface SubjectResult {
  /** One for each start; empty when the subject was not started by the bench. */
  readonly readyMs: readonly number[];
  /** Resident after each start, before any client; empty without a pid. */
  readonly idleBytes: readonly number[];
  /** The most that a process grew above its idle memory; undefined without a pid. */
  readonly grownBytes: number | undefined;
  readonly steps: readonly StepResult[];
}

export function stepsOf(result: SubjectResult, phase: Phase): readonly StepResult[] {
  return result.steps.filter(({ step }) => step.phase === phase);
}
