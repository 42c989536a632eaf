import type { SettingWarning, UnlandedSetting } from '../../bootstrap/options.js';
import type { Setting, Variable } from './setting.js';
import { badValue } from './setting-error.js';

/** One setting for every field: a flag table or a variable table. */
export type SettingTable<Fields> = {
  readonly [Key in keyof Fields]: Setting<Fields[Key]> & Pick<Variable<Fields[Key]>, 'takesEmpty'>;
};

/** Where the texts of a table's settings come from. */
export interface SettingSource {
  /** How a setting is called in messages: `--grpcAddr`, `NAV_HTTP10`. */
  label(name: string): string;
  /**
   * Every text given for the setting, in order; undefined when the user gave none.
   *
   * @param takesEmpty whether an empty variable is a value (`Variable.takesEmpty`)
   */
  lookup(name: string, takesEmpty: boolean): readonly string[] | undefined;
}

/** What reading a table gave. */
export interface ReadSettings<Fields> {
  readonly fields: Fields;
  /** Labels of the settings that the user gave. */
  readonly explicit: readonly string[];
  readonly unlanded: readonly UnlandedSetting[];
  readonly warnings: readonly SettingWarning[];
}

/**
 * Reads every setting of a table: what the user gave, or else the default.
 *
 * @throws SettingError for the first value that is not allowed
 */
export function readSettings<Fields>(table: SettingTable<Fields>, source: SettingSource): ReadSettings<Fields> {
  const fields: Partial<Fields> = {};
  const explicit: string[] = [];
  const unlanded: UnlandedSetting[] = [];
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
    const why = setting.unlanded?.(parsed.value);
    if (why !== undefined) {
      unlanded.push({ setting: label, value, why });
    }
  }
  // The loop has filled every key of the table, which has every key of Fields.
  return { fields: fields as Fields, explicit, unlanded, warnings };
}

function keysOf<Fields>(table: SettingTable<Fields>): (keyof Fields)[] {
  return Object.keys(table) as (keyof Fields)[];
}
