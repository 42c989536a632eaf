import { monotonicMs } from '../measure/monotonic-clock.js';
import { buildBenchReport } from '../report/bench-report.js';
import { judgeGoals } from '../report/goals.js';
import { formatJsonReport } from '../report/json-report.js';
import { ProgressLine } from '../report/progress-line.js';
import { createTerminalStyle } from '../report/terminal-style.js';
import { formatTextReport } from '../report/text-report.js';
import { Cleanup } from '../run/cleanup.js';
import { runBench } from '../run/run-bench.js';
import { OwnedProcesses } from '../subject/owned-process.js';
import type { BenchCommand, CommandOutput } from './bench-command.js';
import { BENCH_FLAGS, type BenchOptions, parseBenchOptions } from './bench-options.js';
import { endOnSignals } from './end-on-signals.js';

/** How fast the server brings configuration to many proxies, beside the floor. */
export const fanOutCommand: BenchCommand = {
  name: '',
  summary: 'Measures how fast the server brings configuration to many sidecars, and what it costs.',
  details: `Generates a mesh, starts the server on it as a process of its own, connects ADS clients that do what
sidecars do, and measures each phase beside the floor: a bare server that writes the same bytes to
the same clients. Without flags it makes the reference run. docs/performance.md says how to read it.`,
  operands: [],
  flags: BENCH_FLAGS,
  run: (flags, output) => runFanOut(parseBenchOptions(flags), output),
};

async function runFanOut(options: BenchOptions, output: CommandOutput): Promise<number> {
  const cleanup = new Cleanup();
  const processes = new OwnedProcesses();
  cleanup.add(() => processes.endAll());
  const line = new ProgressLine(process.stderr, monotonicMs);
  const release = endOnSignals(cleanup, processes, line);
  try {
    const progress = line.update.bind(line);
    const run = await runBench(options, { cleanup, processes, progress });
    line.clear();
    const report = buildBenchReport(run, options.phases);
    const goals = judgeGoals(report);
    const style = createTerminalStyle(process.stdout.isTTY, process.env);
    output.stdout.write(
      options.json ? formatJsonReport(options, run, report, goals) : formatTextReport(options, report, goals, style),
    );
    return options.strict && goals.some(({ met }) => !met) ? 1 : 0;
  } finally {
    line.clear();
    await cleanup.run();
    release();
  }
}
