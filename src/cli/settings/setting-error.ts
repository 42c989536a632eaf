const SHOWN_VALUE_LENGTH = 200;

/** A setting that stops the start: its message is one line that names the setting, the value and what is allowed. */
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

/** @param allowed what follows "must be", as Parsed gives it */
export function badValue(setting: string, value: string, allowed: string): SettingError {
  return new SettingError(setting, `${setting} must be ${allowed}, not ${quote(value)}`);
}

/** The value as JSON text, so that line breaks and blanks show and the message stays on one line. */
export function quote(value: string): string {
  const shown = value.length > SHOWN_VALUE_LENGTH ? `${value.slice(0, SHOWN_VALUE_LENGTH)}…` : value;
  return JSON.stringify(shown);
}
