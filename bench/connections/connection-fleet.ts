import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../cli/bench-error.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { describeExit, type OwnedProcesses } from '../subject/owned-process.js';
import type { ConnectionCommand, ConnectionReport } from './connection-protocol.js';
import type { RequestScript } from './request-script.js';

const POLL_MS = 20;

export interface ConnectionFleetOptions {
  readonly processes: OwnedProcesses;
  /** Processes that the connections are spread over. */
  readonly count: number;
  /** host:port of the server. */
  readonly target: string;
  readonly script: RequestScript;
  /** Sidecars of each process that sync at the same time. */
  readonly atOnce: number;
  readonly timeoutMs: number;
  /** The end of the server ends every wait. */
  readonly failed: Promise<never>;
  readonly progress: (synced: number, of: number) => void;
}

/** Connections of many sidecars, in processes of their own. */
export class ConnectionFleet {
  readonly #options: ConnectionFleetOptions;
  readonly #children: readonly ChildProcess[];
  readonly #reports = new Map<ChildProcess, ConnectionReport>();
  readonly #failed: Promise<never>;
  #opened = 0;

  constructor(options: ConnectionFleetOptions) {
    this.#options = options;
    this.#children = Array.from({ length: options.count }, () => this.#startProcess());
    const ends = this.#children.map(
      (child) =>
        new Promise<never>((_, reject) => {
          child.once('exit', (code, signal) => {
            reject(new BenchError('worker-failed', `A process of connections ${describeExit(code, signal)}.`));
          });
        }),
    );
    this.#failed = Promise.race([options.failed, ...ends]);
    this.#failed.catch(() => {});
  }

  /** Connections that the server refused or ended, and how the first of them ended. */
  get turnedAway(): { readonly count: number; readonly reason: string } {
    const reports = [...this.#reports.values()];
    return {
      count: sum(reports, ({ turnedAway }) => turnedAway),
      reason: reports.find(({ firstReason }) => firstReason !== '')?.firstReason ?? '',
    };
  }

  /**
   * Connects more sidecars, and waits until each has everything or was turned away.
   *
   * @param nodes encoded Nodes
   * @throws BenchError when it takes longer than the timeout
   */
  async open(nodes: readonly Buffer[]): Promise<void> {
    this.#opened += nodes.length;
    const { target, script, atOnce } = this.#options;
    for (const [number, child] of this.#children.entries()) {
      const own = nodes.filter((_, index) => index % this.#children.length === number);
      this.#send(child, { kind: 'open', target, script, nodes: own, atOnce });
    }
    await this.#until('sidecars to connect', (reports) => {
      const synced = sum(reports, (report) => report.synced);
      this.#options.progress(synced, this.#opened);
      return [synced + sum(reports, ({ turnedAway }) => turnedAway), this.#opened];
    });
  }

  /** Makes a change, and gives when each sidecar had it, on the monotonic clock. */
  async change(marker: string, trigger: () => Promise<void>): Promise<readonly number[]> {
    for (const child of this.#children) this.#send(child, { kind: 'expect', marker });
    await this.#until('processes to expect a change', (reports) => [
      reports.filter((report) => report.marker === marker).length,
      this.#children.length,
    ]);
    await trigger();
    await this.#until('sidecars to get a change', (reports) => [
      sum(reports, ({ changedAtMs }) => changedAtMs.length),
      sum(reports, ({ synced }) => synced),
    ]);
    return [...this.#reports.values()].flatMap(({ changedAtMs }) => [...changedAtMs]);
  }

  #startProcess(): ChildProcess {
    const child = fork(fileURLToPath(new URL('../connection-process.js', import.meta.url)), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#options.processes.add(child);
    child.on('message', (report: ConnectionReport) => this.#reports.set(child, report));
    return child;
  }

  #send(child: ChildProcess, command: ConnectionCommand): void {
    child.send(command);
  }

  async #until(
    what: string,
    count: (reports: readonly ConnectionReport[]) => readonly [done: number, of: number],
  ): Promise<void> {
    const deadlineMs = monotonicMs() + this.#options.timeoutMs;
    for (;;) {
      const [done, of] = count([...this.#reports.values()]);
      if (done >= of && of > 0) return;
      if (monotonicMs() > deadlineMs) {
        throw new BenchError(
          'timed-out',
          `Waited ${this.#options.timeoutMs / 1000} s for ${what}: ${done} of ${of}. Allow more with --timeout.`,
        );
      }
      await Promise.race([delay(POLL_MS), this.#failed]);
    }
  }
}

function sum(reports: readonly ConnectionReport[], read: (report: ConnectionReport) => number): number {
  return reports.reduce((total, report) => total + read(report), 0);
}
