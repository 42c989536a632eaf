import type { BenchOptions } from '../cli/bench-options.js';
import { spreadOf } from '../measure/statistics.js';
import type { SubjectResult } from '../run/phase-result.js';
import type { BenchRun } from '../run/run-bench.js';
import { DEBOUNCE_MS } from '../subject/launch-discovery.js';
import type { BenchReport } from './bench-report.js';
import type { Goal } from './goals.js';

/** The report for programs: the values of the text report, and each repeat. Names contain the units. */
export function buildJsonReport(
  options: BenchOptions,
  run: BenchRun,
  report: BenchReport,
  goals: readonly Goal[],
): object {
  return {
    options,
    debounceMs: DEBOUNCE_MS,
    ...report,
    goals,
    repeats: { server: listRepeats(run.server), ...(run.floor === undefined ? {} : { floor: listRepeats(run.floor) }) },
  };
}

function listRepeats(result: SubjectResult) {
  return {
    readyMs: result.readyMs,
    idleBytes: result.idleBytes,
    phases: result.steps.map(({ step, clientMs, stayedMs, recording: _recording, ...measured }) => ({
      phase: step.phase,
      repeat: step.repeat,
      clientMs: spreadOf(clientMs),
      ...(stayedMs.length === 0 ? {} : { stayedMs: spreadOf(stayedMs) }),
      ...measured,
    })),
  };
}
