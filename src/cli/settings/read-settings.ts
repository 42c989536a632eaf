import type { SettingWarning, UnimplementedSetting } from '../../bootstrap/options.js';
import type { Setting, Variable } from './setting.js';
import { badValue } from './setting-error.js';

/** One setting for every field: a flag table or a variable table. */
export type SettingTable<Fields> = {
  readonly [Key in keyof Fields]: Setting<Fields[Key]> & Pick<Variable<Fields[Key]>, 'takesEmpty'>;
};

/** The source of the texts of settings: the command line, or the environment. */
export interface SettingSource {
  /** The name of a setting in messages: `--grpcAddr`, `NAV_HTTP10`. */
  label(name: string): string;
  /**
   * All texts of the setting, in order; undefined if the user has not set it.
   *
   * @param takesEmpty whether an empty text is a value (`Variable.takesEmpty`)
   */
  lookup(name: string, takesEmpty: boolean): readonly string[] | undefined;
}

/** The result of reading a table. */
export interface ReadSettings<Fields> {
  readonly fields: Fields;
  /** Labels of the settings that the user has set. */
  readonly explicit: readonly string[];
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly warnings: readonly SettingWarning[];
}

/**
 * Reads every setting of a table: the user's value, or the default.
 *
 * @throws SettingError for the first invalid value
 */
export function readSettings<Fields>(table: SettingTable<Fields>, source: SettingSource): ReadSettings<Fields> {
  const fields: Partial<Fields> = {};
  const explicit: string[] = [];
  const unimplemented: UnimplementedSetting[] = [];
  const warnings: SettingWarning[] = [];

  for (const key of keysOf(table)) {
    const setting = table[key];
    const given = source.lookup(setting.name, setting.takesEmpty === true);
    const label = source.label(setting.name);
    const value = (given ?? [setting.default]).join(',');
    const parsed = setting.type.parse(given ?? [setting.default]);
    if (!parsed.ok) {
      throw badValue(label, value, parsed.allowed);
    }
    fields[key] = parsed.value;
    if (given === undefined) {
      continue;
    }
    explicit.push(label);
    if (parsed.warning !== undefined) {
      warnings.push({ setting: label, value, problem: parsed.warning });
    }
    const why = setting.unimplemented?.(parsed.value);
    if (why !== undefined) {
      unimplemented.push({ setting: label, value, why });
    }
  }
  // The table has every key of Fields, and the loop has filled all of them.
  return { fields: fields as Fields, explicit, unimplemented, warnings };
}

function keysOf<Fields>(table: SettingTable<Fields>): (keyof Fields)[] {
  return Object.keys(table) as (keyof Fields)[];
}
