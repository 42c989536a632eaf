import { isDeepStrictEqual } from 'node:util';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { LogFields, Logger } from '../../telemetry/logger.js';
import { parseSettings } from './parse-settings.js';

export interface SettingsContentOptions<Value> {
  readonly read: SettingsReader<Value>;
  /** In force until some content has been valid. */
  readonly defaults: Value;
  /** Where the content is from, for the log. */
  readonly place: LogFields;
  readonly logger: Logger;
}

/** Settings that are read again and again, at their last good state: a bad reload is ignored (BEHAVIOUR 8). */
export interface SettingsContent<Value> {
  /** Takes over a content; says what came of it. */
  accept(text: string): 'changed' | 'same' | 'refused';
  /** There is no content that could be taken over, for these reasons; each is logged once while they stay. */
  refuse(reasons: readonly string[], message: string): void;
  /** There is no content any more, or none yet: what was in force stays, which is told unless that is the defaults. */
  absent(reason: string, message: string): void;
  current(): Value;
  /** Why the present content is not in force, a line each; empty when it is. */
  problems(): readonly string[];
  /** What of the content in force has no effect, and why, a line each; misspelt fields for example. */
  warnings(): readonly string[];
}

export function createSettingsContent<Value>(options: SettingsContentOptions<Value>): SettingsContent<Value> {
  const { read, place, logger } = options;
  let value = options.defaults;
  let isGood = false;
  let problems: readonly string[] = [];
  let warnings: readonly string[] = [];

  const refuse = (reasons: readonly string[], message: string): void => {
    if (isDeepStrictEqual(reasons, problems)) return;
    problems = reasons;
    for (const reason of reasons) logger.error({ ...place, reason }, message);
  };

  return {
    accept: (text) => {
      const result = parseSettings(text, read);
      if (result.type === 'invalid') {
        refuse(
          result.reasons,
          isGood
            ? 'settings are refused, their last good content stays in force'
            : 'settings are refused, defaults are used',
        );
        return 'refused';
      }
      if (problems.length > 0) logger.info(place, 'settings are in order again');
      isGood = true;
      problems = [];
      warnings = result.warnings;
      for (const reason of warnings) logger.warn({ ...place, reason }, 'settings have a field without effect');
      if (isDeepStrictEqual(result.value, value)) return 'same';
      value = result.value;
      return 'changed';
    },
    refuse,
    absent: (reason, message) => {
      if (value === options.defaults) problems = [];
      else refuse([reason], message);
    },
    current: () => value,
    problems: () => problems,
    warnings: () => warnings,
  };
}
