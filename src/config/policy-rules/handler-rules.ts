import { firstViolations } from '../policy/limits.js';
import type { Violation } from '../violation.js';
import { validateConnection } from './connection-rules.js';
import type { HandlerSpec } from './handler.js';

/** Rules of a handler that its schema cannot express. */
export function validateHandler(spec: HandlerSpec): readonly Violation[] {
  return firstViolations(handlerViolations(spec));
}

function* handlerViolations({ compiledAdapter, connection }: HandlerSpec): Iterable<Violation> {
  if (compiledAdapter !== undefined && connection !== undefined) {
    yield {
      path: 'connection',
      message: `is set, but ${compiledAdapter} is built in`,
      remedy: 'remove it, or name an adapter of your own in adapter',
    };
  }
  if (compiledAdapter === undefined && connection === undefined) {
    yield {
      path: 'connection',
      message: 'is missing',
      remedy: 'add connection.address: an adapter of your own runs as a program of its own',
    };
  }
  yield* validateConnection('connection', connection);
}
