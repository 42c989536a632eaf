/**
 * Logging scopes (docs/configuration.md#flags-of-every-command). In a list of levels, `all` names every scope; no line
 * has the scope `all`.
 */
export const LOG_SCOPES = [
  'ads',
  'adsc',
  'all',
  'analysis',
  'attributes',
  'authn',
  'authorization',
  'cache',
  'default',
  'dns',
  'grpcAdapter',
  'kube',
  'mcp',
  'model',
  'pkica',
  'policy',
  'processing',
  'resource',
  'rootcertrotator',
  'secretcontroller',
  'secretfetcher',
  'serverca',
  'source',
  'spiffe',
  'status',
  'validation',
  'validationController',
  'validationServer',
] as const;
export type LogScope = (typeof LOG_SCOPES)[number];

/** Logging levels (docs/configuration.md#flags-of-every-command), most verbose first; `none` silences a scope. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'none'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Levels by scope, in the given order. A later entry wins, and `all` sets every scope. */
export type ScopeLevels = readonly { readonly scope: LogScope; readonly level: LogLevel }[];

/** Settings of the log flags (docs/configuration.md#flags-of-every-command). */
export interface LoggingOptions {
  /** Console text when false, one JSON object per line when true. Default false. */
  readonly logAsJson: boolean;
  /** Scopes whose lines name the calling file and line; `all` means every scope. Default none. */
  readonly logCaller: readonly LogScope[];
  /** Least level written, by scope. Default `default:info`; a scope that is not named has the level of `default`. */
  readonly logOutputLevel: ScopeLevels;
  /** Path of a rotating log file, beside the targets; empty for none. */
  readonly logRotate: string;
  /** Days after which the file is rotated, and after which a backup is deleted; 0 means no limit. Default 30. */
  readonly logRotateMaxAgeDays: number;
  /** Number of backups kept; 0 means no limit. Default 1000. */
  readonly logRotateMaxBackups: number;
  /**
   * Size at which the file is rotated, in megabytes of 2^20 bytes. Default 104857600
   * (docs/configuration.md#flags-of-every-command).
   */
  readonly logRotateMaxSizeMegabytes: number;
  /** Least level at which a line carries a stack trace, by scope. Default `default:none`. */
  readonly logStacktraceLevel: ScopeLevels;
  /** `stdout`, `stderr` or file paths, each of which gets every line. Default `stdout`. */
  readonly logTarget: readonly string[];
}
