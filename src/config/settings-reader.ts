import type { Violation } from './violation.js';

/** What came of reading a settings file: its value, or why it cannot be used. */
export type SettingsResult<Value> =
  | {
      readonly type: 'valid';
      readonly value: Value;
      /** Fields that have no effect: unknown ones, and those of features that have not landed. */
      readonly warnings: readonly Violation[];
    }
  | { readonly type: 'invalid'; readonly violations: readonly Violation[] };

/** Reads the parsed content of a settings file; an empty file is all defaults. */
export type SettingsReader<Value> = (content: unknown) => SettingsResult<Value>;
