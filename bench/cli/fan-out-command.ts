import { buildBenchReport } from '../report/bench-report.js';
import { judgeGoals } from '../report/goals.js';
import { buildJsonReport } from '../report/json-report.js';
import { formatTextReport } from '../report/text-report.js';
import { runBench } from '../run/run-bench.js';
import type { BenchCommand } from './bench-command.js';
import { BENCH_FLAGS, parseBenchOptions } from './bench-options.js';
import { supervise } from './supervised-run.js';
import { writeResult } from './write-result.js';

/** How fast the server brings configuration to many proxies, beside the floor. */
export const fanOutCommand: BenchCommand = {
  name: '',
  summary: 'Measures how fast the server brings configuration to many sidecars, and what it costs.',
  details: `Generates a mesh, starts the server on it as a process of its own, connects ADS clients that do what
sidecars do, and measures each phase beside the floor: a bare server that writes the same bytes to
the same clients. Without flags it makes the reference run. docs/performance.md says how to read it.`,
  operands: [],
  flags: BENCH_FLAGS,
  async run(flags, output) {
    const options = parseBenchOptions(flags);
    const run = await supervise((parts) =>
      runBench(options, { ...parts, progress: parts.line.update.bind(parts.line) }),
    );
    const report = buildBenchReport(run, options.phases);
    const goals = judgeGoals(report, options);
    return await writeResult(flags, output, {
      text: (style) => formatTextReport(options, report, goals, style),
      document: buildJsonReport(options, run, report, goals),
      areGoalsMet: goals.every(({ met }) => met),
    });
  },
};
