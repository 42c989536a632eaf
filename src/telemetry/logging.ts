import { type Logger as PinoLogger, pino } from 'pino';
import { formatConsole, type LogRecord } from './console-format.js';
import type { LogSink } from './log-sink.js';
import { describeError } from './logged-error.js';
import type { LogFields, Logger } from './logger.js';
import type { LoggingOptions, LogScope } from './logging-options.js';
import { passes, resolveScopes, type ScopeSettings, type WritableScope } from './scope-settings.js';

/**
 * The log of the process: a logger for each scope (docs/configuration.md#flags-of-every-command), all with the same
 * sinks.
 */
export interface Logging {
  scope(name: WritableScope): Logger;
  /** Scopes with their current settings, in the documented order. */
  scopes(): ReadonlyMap<WritableScope, Readonly<ScopeSettings>>;
  /** Changes the settings of a scope, or of every scope with `all`. */
  change(scope: LogScope, settings: Partial<ScopeSettings>): void;
  /** Logs in the scope `default` why the process ends. Level `none` of that scope silences it. */
  fatal(fields: LogFields, message: string): void;
  /** Writes remaining lines and closes the files. Do not log afterwards. */
  close(): Promise<void>;
}

/** Dependencies of the log. */
export interface LoggingEnvironment {
  now(): Date;
  readonly sinks: readonly LogSink[];
}

type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Reserved names. A field with such a name gets the suffix `_`. */
const RESERVED: ReadonlySet<string> = new Set(['time', 'level', 'scope', 'msg', 'stack', 'caller']);

/** Creates the log for the log flags, over sinks from openLogSinks. */
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
  const loggers = new Map<WritableScope, ScopeLogger>();
  for (const [scope, scopeSettings] of settings) {
    loggers.set(scope, createScopeLogger(root.child({ scope }), scopeSettings));
  }

  const scope = (name: WritableScope): ScopeLogger => {
    const logger = loggers.get(name);
    if (logger === undefined) {
      throw new Error(`there is no log scope ${name}`);
    }
    return logger;
  };
  return {
    scope,
    fatal: (fields, message) => scope('default').fatal(fields, message),
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

/** Only the end of the process is fatal, so rooms get a logger without that level. */
interface ScopeLogger extends Logger {
  fatal(fields: LogFields, message: string): void;
}

function createScopeLogger(output: PinoLogger, settings: Readonly<ScopeSettings>): ScopeLogger {
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
    fatal: methodFor('fatal'),
    isDebugEnabled: () => passes('debug', settings.outputLevel),
  };
}

/** Adds caller and stack trace if the scope demands them. */
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

/** Each sink handles its own failures. */
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
 * The stack above a function, one `at …` per line.
 *
 * @param below a function on the stack; the result leaves out this function and its callees
 */
function captureStack(below: (...values: never[]) => unknown): string {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  Error.captureStackTrace(holder, below);
  Error.stackTraceLimit = limit;
  // The first line has the name and message of an error, which this is not.
  return (holder.stack ?? '').split('\n').slice(1).join('\n');
}

/** `folder/file.js:line` of the first frame of a stack; empty without frames. */
function callSiteOf(stack: string): string {
  const location = /\(?((?:file:\/\/)?[^()\s]+):(\d+):\d+\)?$/.exec(stack.split('\n', 1)[0] ?? '');
  const path = location?.[1] ?? '';
  return location === null ? '' : `${path.split('/').slice(-2).join('/')}:${location[2]}`;
}
