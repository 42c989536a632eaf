import { errorText } from '../base/error-text.js';
/** The logged fields of an error. The stack is a separate field (--log_stacktrace_level). */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  /** Messages of the chain of causes, joined with `: `. */
  readonly cause?: string;
}

const MAX_CAUSES = 5;

/** The logged fields of an error; another value is logged as its text. */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: String(error) };
  }
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : null;
  const causes = causeMessages(error);
  return {
    type: error.name,
    message: error.message,
    ...(code === null ? {} : { code }),
    ...(causes.length === 0 ? {} : { cause: causes.join(': ') }),
  };
}

/** The messages of the causes, but not those that the message before repeats or ends with. */
function causeMessages(error: Error): readonly string[] {
  const messages: string[] = [];
  let last = error.message;
  // Limited, because an error can be its own cause.
  for (let cause = error.cause, seen = 0; cause !== undefined && seen < MAX_CAUSES; seen++) {
    const message = errorText(cause);
    if (message !== last && !last.endsWith(`: ${message}`)) messages.push(message);
    last = message;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages;
}
