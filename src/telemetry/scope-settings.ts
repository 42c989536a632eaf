import {
  LOG_LEVELS,
  LOG_SCOPES,
  type LoggingOptions,
  type LogLevel,
  type LogScope,
  type ScopeLevels,
} from './logging-options.js';

/** A scope of log lines; `all` is only a name for all of them. */
export type WritableScope = Exclude<LogScope, 'all'>;

const WRITABLE_SCOPES: readonly WritableScope[] = LOG_SCOPES.filter((scope) => scope !== 'all');

/** Settings of one scope; they can change at run time. */
export interface ScopeSettings {
  outputLevel: LogLevel;
  stacktraceLevel: LogLevel;
  caller: boolean;
}

/** The settings of every scope by the flags. */
export function resolveScopes(options: LoggingOptions): ReadonlyMap<WritableScope, ScopeSettings> {
  const outputLevels = resolveLevels(options.logOutputLevel, 'info');
  const stacktraceLevels = resolveLevels(options.logStacktraceLevel, 'none');
  return new Map(
    WRITABLE_SCOPES.map((scope) => [
      scope,
      {
        outputLevel: outputLevels(scope),
        stacktraceLevel: stacktraceLevels(scope),
        caller: options.logCaller.includes('all') || options.logCaller.includes(scope),
      },
    ]),
  );
}

/** True when a line of the level passes the least level; nothing passes `none`. */
export function passes(level: LogLevel, least: LogLevel): boolean {
  return least !== 'none' && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** The last entry for the scope or `all` wins. Other scopes have the level of `default`. */
function resolveLevels(levels: ScopeLevels, fallback: LogLevel): (scope: WritableScope) => LogLevel {
  const named = (scope: LogScope) => levels.findLast((entry) => entry.scope === scope || entry.scope === 'all')?.level;
  return (scope) => named(scope) ?? named('default') ?? fallback;
}
