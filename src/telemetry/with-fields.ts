import type { LogFields, Logger } from './logger.js';

/** A logger each message of which has these fields too; a message's own field of the same name goes before. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  return {
    debug: (own, message) => logger.debug({ ...fields, ...own }, message),
    info: (own, message) => logger.info({ ...fields, ...own }, message),
    warn: (own, message) => logger.warn({ ...fields, ...own }, message),
    error: (own, message) => logger.error({ ...fields, ...own }, message),
    isDebugEnabled: () => logger.isDebugEnabled(),
  };
}
