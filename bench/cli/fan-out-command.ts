import { Command, Option } from 'clipanion';
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
import { BenchError } from './bench-error.js';
import { parseBenchOptions } from './bench-options.js';
import { endOnSignals } from './end-on-signals.js';
import { MeshSizeCommand } from './mesh-size-command.js';

/** `npm run bench`: how fast the server brings configuration to many proxies, beside the floor. */
export class FanOutCommand extends MeshSizeCommand {
  static override paths = [Command.Default];
  static override usage = Command.Usage({
    description: 'Measures how fast the server brings configuration to many sidecars, and what it costs.',
    details:
      'Generates a mesh, starts the server on it as a process of its own, connects ADS clients that behave as sidecars ' +
      'do, and measures each phase beside the floor: a bare server that writes the same bytes to the same clients. ' +
      'docs/performance.md says how to read the result.',
    examples: [
      ['The reference run', 'npm run bench'],
      ['A quick look', 'npm run bench -- --services 100 --clients 20 --repeat 1'],
      ['Another server that is already running', 'npm run bench -- --target 127.0.0.1:15010'],
    ],
  });

  readonly clients = Option.String('--clients', '200', { description: 'sidecars that connect (200)' });
  readonly phases = Option.String('--phases', {
    description: 'first-sync, endpoint, service: one or more, with commas (all)',
  });
  readonly repeat = Option.String('--repeat', '3', {
    description: 'repeats of each phase, of which the median counts (3)',
  });
  readonly workers = Option.String('--workers', '1', { description: 'threads that the clients are spread over (1)' });
  readonly timeout = Option.String('--timeout', '60', { description: 'seconds that any single wait may take (60)' });
  readonly target = Option.String('--target', { description: 'host:port of another ADS server to measure instead' });
  readonly meshDir = Option.String('--mesh-dir', {
    description: 'the folder that the --target watches, written by "npm run bench -- mesh DIR"',
  });
  readonly floor = Option.Boolean('--floor', true, { description: 'measure the floor too (yes; --no-floor: no)' });
  readonly json = Option.Boolean('--json', false, { description: 'print JSON, with every repeat' });
  readonly strict = Option.Boolean('--strict', false, { description: 'exit with 1 when a goal is missed' });

  override async execute(): Promise<number> {
    const options = parseBenchOptions({
      ...this.meshFlags(),
      clients: this.clients,
      phases: this.phases,
      repeat: this.repeat,
      workers: this.workers,
      timeout: this.timeout,
      target: this.target,
      meshDir: this.meshDir,
      floor: this.floor,
      json: this.json,
      strict: this.strict,
    });
    const cleanup = new Cleanup();
    const processes = new OwnedProcesses();
    cleanup.add(() => processes.endAll());
    const line = new ProgressLine(process.stderr, monotonicMs);
    const release = endOnSignals(cleanup, processes, line);
    try {
      const run = await runBench(options, { cleanup, processes, progress: (...args) => line.update(...args) });
      line.clear();
      const report = buildBenchReport(run, options.phases);
      const goals = judgeGoals(report);
      const style = createTerminalStyle(process.stdout.isTTY, process.env);
      this.context.stdout.write(
        options.json ? formatJsonReport(options, run, report, goals) : formatTextReport(options, report, goals, style),
      );
      return options.strict && goals.some(({ met }) => !met) ? 1 : 0;
    } catch (error) {
      line.clear();
      if (!(error instanceof BenchError)) throw error;
      this.context.stderr.write(`bench: ${error.message}\n`);
      return 1;
    } finally {
      await cleanup.run();
      release();
    }
  }
}
