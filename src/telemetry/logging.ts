import { type Logger as PinoLogger, pino } from 'pino';
import { formatConsole, type LogRecord } from './console-format.js';
import type { LogSink } from './log-sink.js';
import { describeError } from './logged-error.js';
import type { LogFields, Logger } from './logger.js';
import type { LoggingOptions, LogScope } from './logging-options.js';
import { passes, resolveScopes, type ScopeSettings, type WritableScope } from './scope-settings.js';

/**
 * The log of the process: a logger for each scope of docs/configuration.md#flags-of-every-command, over shared sinks.
 */
export interface Logging {
  scope(name: WritableScope): Logger;
  /** Scopes and how they are logged now, in the order of docs/configuration.md#flags-of-every-command. */
  scopes(): ReadonlyMap<WritableScope, Readonly<ScopeSettings>>;
  /** Changes a scope, or with `all` every scope, from now on. */
  change(scope: LogScope, settings: Partial<ScopeSettings>): void;
  /** Writes what is left and closes the files. Nothing may be logged afterwards. */
  close(): Promise<void>;
}

/** What the log needs from outside. */
export interface LoggingEnvironment {
  now(): Date;
  readonly sinks: readonly LogSink[];
}

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Names of a record that are not the caller's to use; a field of that name gets a `_` behind it. */
const RESERVED: ReadonlySet<string> = new Set(['time', 'level', 'scope', 'msg', 'stack', 'caller']);

/**
 * Builds the log that the flags of docs/configuration.md#flags-of-every-command ask for, over sinks that openLogSinks
 * has opened.
 */
export function createLogging(options: LoggingOptions, { now, sinks }: LoggingEnvironment): Logging {
  const settings = resolveScopes(options);
  const root = pino(
    {
      base: null,
      level: 'debug',
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    { write: (line) => writeToAll(line, sinks, options.logAsJson) },
  );
  const loggers = new Map<WritableScope, Logger>();
  for (const [scope, scopeSettings] of settings) {
    loggers.set(scope, createScopeLogger(root.child({ scope }), scopeSettings));
  }

  return {
    scope: (name) => {
      const logger = loggers.get(name);
      if (logger === undefined) {
        throw new Error(`there is no log scope ${name}`);
      }
      return logger;
    },
    scopes: () => settings,
    change: (scope, changed) => {
      for (const [name, scopeSettings] of settings) {
        if (scope === 'all' || scope === name) {
          Object.assign(scopeSettings, changed);
        }
      }
    },
    close: async () => {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

function createScopeLogger(output: PinoLogger, settings: Readonly<ScopeSettings>): Logger {
  const methodFor = (level: Level) => {
    const log = (fields: LogFields, message: string): void => {
      if (passes(level, settings.outputLevel)) {
        output[level](withOrigin(fields, level, settings, log), message);
      }
    };
    return log;
  };
  return {
    debug: methodFor('debug'),
    info: methodFor('info'),
    warn: methodFor('warn'),
    error: methodFor('error'),
    isDebugEnabled: () => passes('debug', settings.outputLevel),
  };
}

/** The fields, with caller and stack trace where the scope asks for them. */
function withOrigin(
  fields: LogFields,
  level: Level,
  settings: Readonly<ScopeSettings>,
  log: (fields: LogFields, message: string) => void,
): LogFields {
  const clean = Object.keys(fields).some((key) => RESERVED.has(key)) ? renameReserved(fields) : fields;
  const wantsStack = passes(level, settings.stacktraceLevel);
  if (!wantsStack && !settings.caller) {
    return clean;
  }
  const stack = captureStack(log);
  const error = fields['err'];
  return {
    ...clean,
    ...(settings.caller ? { caller: callSiteOf(stack) } : {}),
    ...(wantsStack ? { stack: error instanceof Error ? (error.stack ?? stack) : stack } : {}),
  };
}

function renameReserved(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value]));
}

/** A sink's failure is the sink's own affair; a console line is made from the record once per kind of sink. */
function writeToAll(line: string, sinks: readonly LogSink[], asJson: boolean): void {
  if (asJson) {
    for (const sink of sinks) {
      sink.write(line);
    }
    return;
  }
  const record: LogRecord = JSON.parse(line);
  for (const sink of sinks) {
    sink.write(formatConsole(record, sink.colored));
  }
}

const FRAMES = 12;

/**
 * The stack above the function that is passed, one `at …` per line.
 *
 * @param below a function on the stack; it and what it called are left out
 */
function captureStack(below: (...values: never[]) => unknown): string {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  Error.captureStackTrace(holder, below);
  Error.stackTraceLimit = limit;
  // The first line is the name and message of an error, which is none here.
  return (holder.stack ?? '').split('\n').slice(1).join('\n');
}

/** `folder/file.js:line` of a stack's first frame; empty when it has none. */
function callSiteOf(stack: string): string {
  const location = /\(?((?:file:\/\/)?[^()\s]+):(\d+):\d+\)?$/.exec(stack.split('\n', 1)[0] ?? '');
  const path = location?.[1] ?? '';
  return location === null ? '' : `${path.split('/').slice(-2).join('/')}:${location[2]}`;
}
