import { isDeepStrictEqual } from 'node:util';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { LogFields, Logger } from '../../telemetry/logger.js';
import { parseSettings } from './parse-settings.js';
import type { SettingsCustody } from './settings-custody.js';
import { SettingsRefusedError } from './settings-refused-error.js';

export interface SettingsContentOptions<Value> {
  readonly read: SettingsReader<Value>;
  /** In force while there has been no content at all. */
  readonly defaults: Value;
  /** Where the content is from, for the log. */
  readonly place: LogFields;
  /** The same place as one word or two, for the error that ends a start. */
  readonly label: string;
  readonly logger: Logger;
  /** Without it, refusals are not counted and no content outlives the process. */
  readonly custody?: SettingsCustody | undefined;
}

/**
 * Settings that are read again and again, at their last good state: a bad reload is ignored
 * (docs/reference/sources.md#settings). A content that cannot be used is never replaced by the defaults.
 */
export interface SettingsContent<Value> {
  /** Takes over a content; says what came of it. */
  accept(text: string): 'changed' | 'same' | 'refused';
  /** There is no content that could be taken over, for these reasons; each is logged once while they stay. */
  refuse(reasons: readonly string[], message: string): void;
  /** There is no content any more, or none yet: what was in force stays, which is told unless that is the defaults. */
  absent(reason: string, message: string): void;
  /**
   * Ends the start. Where the content is refused, or cannot be had for the given reasons, the last content that was in
   * force in an earlier process takes its place.
   *
   * @throws SettingsRefusedError when there is no such content
   */
  settle(reasons?: readonly string[]): Promise<void>;
  current(): Value;
  /** Why the present content is not in force, a line each; empty when it is. */
  problems(): readonly string[];
  /** What of the content in force has no effect, and why, a line each; misspelt fields for example. */
  warnings(): readonly string[];
}

export function createSettingsContent<Value>(options: SettingsContentOptions<Value>): SettingsContent<Value> {
  const { read, place, label, logger, custody } = options;
  let value = options.defaults;
  let isGood = false;
  let problems: readonly string[] = [];
  let warnings: readonly string[] = [];

  const refuse = (reasons: readonly string[], message: string): void => {
    if (isDeepStrictEqual(reasons, problems)) return;
    problems = reasons;
    custody?.refused();
    for (const reason of reasons) logger.error({ ...place, reason }, message);
  };

  const recall = async (): Promise<boolean> => {
    const text = await custody?.recall();
    // A good content may have come meanwhile.
    if (isGood) return true;
    const result = text === undefined ? undefined : parseSettings(text, read);
    if (result?.type !== 'valid') return false;
    isGood = true;
    value = result.value;
    warnings = result.warnings;
    logger.warn(place, 'settings are refused, the last content that could be used is in force');
    return true;
  };

  return {
    accept: (text) => {
      const result = parseSettings(text, read);
      if (result.type === 'invalid') {
        refuse(
          result.reasons,
          isGood ? 'settings are refused, their last good content stays in force' : 'settings are refused',
        );
        return 'refused';
      }
      if (problems.length > 0) logger.info(place, 'settings are in order again');
      isGood = true;
      problems = [];
      warnings = result.warnings;
      custody?.keep(text);
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
    settle: async (reasons = problems) => {
      if (isGood || reasons.length === 0 || (await recall())) return;
      throw new SettingsRefusedError(label, reasons);
    },
    current: () => value,
    problems: () => problems,
    warnings: () => warnings,
  };
}
