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

/** A logger that adds these fields to each message. A field of the message with the same name wins. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  return {
    debug: (own, message) => logger.debug({ ...fields, ...own }, message),
    info: (own, message) => logger.info({ ...fields, ...own }, message),
    warn: (own, message) => logger.warn({ ...fields, ...own }, message),
    error: (own, message) => logger.error({ ...fields, ...own }, message),
    isDebugEnabled: () => logger.isDebugEnabled(),
  };
}
