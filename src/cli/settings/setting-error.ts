const SHOWN_VALUE_LENGTH = 200;

/** An invalid setting. The message is one line with the setting, its value and the allowed values. */
export class SettingError extends Error {
  readonly code = 'BAD_SETTING';
  override readonly name = 'SettingError';
  /** `--name` of a flag or NAME of a variable. */
  readonly setting: string;

  constructor(setting: string, message: string) {
    super(message);
    this.setting = setting;
  }
}

/** @param allowed the text of `Parsed.allowed`, which follows "must be" */
export function badValue(setting: string, value: string, allowed: string): SettingError {
  return new SettingError(setting, `${setting} must be ${allowed}, not ${quote(value)}`);
}

/** Quotes a value as JSON, so that line breaks and spaces are visible and the message stays on one line. */
export function quote(value: string): string {
  const shown = value.length > SHOWN_VALUE_LENGTH ? `${value.slice(0, SHOWN_VALUE_LENGTH)}…` : value;
  return JSON.stringify(shown);
}
