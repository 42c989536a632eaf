import type { DiscoveryProcessOptions } from '../subject/launch-discovery.js';

/** Limits of a start, by case. */
export interface StartGoal {
  readonly readySeconds: number;
  readonly residentMebibytes: number;
}

/** One way to start the server. */
export interface StartCase {
  readonly name: string;
  readonly goal: StartGoal;
  readonly launch: Pick<DiscoveryProcessOptions, 'meshFolder' | 'flags'>;
}

/** One start, measured when the process is ready. */
export interface StartFigure {
  /** From the start of the process. */
  readonly readyMs: number;
  /** Of all threads, from the start of the process. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** The starts of one case, or of the floor. */
export interface StartResult {
  readonly name: string;
  /** Absent for the floor. */
  readonly goal?: StartGoal;
  readonly figures: readonly StartFigure[];
}
