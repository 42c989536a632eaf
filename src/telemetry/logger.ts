/** Variables of a log message; an error goes in as `err`. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * A named log scope (docs/configuration.md#flags-of-every-command). Messages are constant texts; variables are fields.
 */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  isDebugEnabled(): boolean;
}
