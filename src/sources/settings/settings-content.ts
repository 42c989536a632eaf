import { isDeepStrictEqual } from 'node:util';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { LogFields, Logger } from '../../telemetry/logger.js';
import { parseSettings } from './parse-settings.js';
import type { SettingsCustody } from './settings-custody.js';
import { SettingsRefusedError } from './settings-refused-error.js';

export interface SettingsContentOptions<Value> {
  readonly read: SettingsReader<Value>;
  /** In force until there is a first content. */
  readonly defaults: Value;
  /** The place of the content, as fields for the log. */
  readonly place: LogFields;
  /** The same place as a short text, for the error that ends a start. */
  readonly label: string;
  readonly logger: Logger;
  /** Default: refusals are not counted, and no content outlives the process. */
  readonly custody?: SettingsCustody | undefined;
}

/**
 * Settings that are read repeatedly. A bad reload is ignored, and the last valid content stays in force
 * (docs/reference/sources.md#settings). A content that cannot be used never brings the defaults into force.
 */
export interface SettingsContent<Value> {
  /** Puts a content into force if it is valid, and returns the outcome. */
  accept(text: string): 'changed' | 'same' | 'refused';
  /** Notes that no content can be read, for these reasons. Each reason is logged once while it lasts. */
  refuse(reasons: readonly string[], message: string): void;
  /**
   * Notes that there is no content. The former content stays in force, and a log line says so unless it is the
   * defaults.
   */
  absent(reason: string, message: string): void;
  /**
   * Ends the start. If the content is refused, or cannot be read for the given reasons, the last usable content of an
   * earlier process takes its place.
   *
   * @throws SettingsRefusedError when no usable content is known
   */
  settle(reasons?: readonly string[]): Promise<void>;
  current(): Value;
  /** Why the present content is not in force, one line each; empty when it is. */
  problems(): readonly string[];
  /** Which fields of the content in force have no effect, and why, one line each; misspelt fields for example. */
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
    // A valid content may have arrived during the wait.
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
