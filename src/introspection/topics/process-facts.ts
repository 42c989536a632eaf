import type { LogLevel } from '../../telemetry/logging-options.js';

/** A logging scope, as the introspection facility shows it (docs/introspection.md). */
export interface ScopeFacts {
  readonly name: string;
  readonly description: string;
  readonly outputLevel: LogLevel;
  readonly stackTraceLevel: LogLevel;
  readonly logCallers: boolean;
}

/** Changes of a scope; absent fields stay. */
export interface ScopeChange {
  readonly outputLevel?: LogLevel;
  readonly stackTraceLevel?: LogLevel;
  readonly logCallers?: boolean;
}

/** One sample of a metric. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export interface ProcessIds {
  readonly egid: number;
  readonly euid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly pid: number;
  readonly ppid: number;
  readonly uid: number;
  readonly wd: string;
  readonly hostname: string;
  readonly tempdir: string;
  readonly threads: number;
  /** Open handles and running requests of the event loop, the counterpart of goroutines. */
  readonly goroutines: number;
}

/** The running process, as the introspection facility reads and changes it. Bootstrap provides it. */
export interface ProcessFacts {
  /** Sorted by name. */
  scopes(): readonly ScopeFacts[];
  /** @returns false for an unknown scope */
  changeScope(name: string, change: ScopeChange): boolean;
  /** Sizes in bytes and counts. */
  memory(): Readonly<Record<string, number>>;
  collectGarbage(): void;
  /** Names and values, with secrets. */
  environment(): readonly (readonly [name: string, value: string])[];
  /** The command line, with secrets. */
  arguments(): readonly string[];
  ids(): ProcessIds;
  readonly processName: string;
  readonly hostAddress: string;
  readonly version: Readonly<Record<string, string>>;
  metrics(): Promise<readonly MetricSample[]>;
  /** Runs the handlers of SIGUSR1, without the debugger that the signal opens in Node. */
  signal(): void;
  /** Ends the process gracefully after a second. */
  exit(): void;
}
