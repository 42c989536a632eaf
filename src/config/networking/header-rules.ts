import { validateAccessLogFormat } from '../mesh/access-log-format.js';
import { childPath, type Violation } from '../violation.js';
import type { HeadersSpec } from './virtual-service-destination.js';

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Control characters except the tab, and half surrogate pairs, which are no UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_IN_VALUES = /[\u0000-\u0008\u000a-\u001f\u007f]|\p{Surrogate}/u;

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** Whether a text can be sent in a header, a path or a message for Envoy. */
export function isHeaderText(text: string): boolean {
  return !NOT_IN_VALUES.test(text);
}

/** Rules of changes of headers: Envoy rejects a whole route table for a name or value that it cannot use. */
export function* validateHeaders(path: string, headers: HeadersSpec | undefined): Iterable<Violation> {
  for (const direction of ['request', 'response'] as const) {
    const operations = headers?.[direction];
    if (operations === undefined) continue;
    for (const operation of ['set', 'add'] as const) {
      for (const [name, value] of Object.entries(operations[operation] ?? {})) {
        const at = childPath(`${path}.${direction}.${operation}`, name);
        yield* validateName(at, name, direction);
        yield* validateValue(at, value);
      }
    }
    for (const [index, name] of (operations.remove ?? []).entries()) {
      yield* validateName(`${path}.${direction}.remove[${index}]`, name, direction);
    }
  }
}

function* validateName(path: string, name: string, direction: 'request' | 'response'): Iterable<Violation> {
  if (name.startsWith(':') || name.toLowerCase() === 'host') {
    const remedy = direction === 'request' ? 'use rewrite.authority and rewrite.uri' : 'remove it';
    yield { path, value: name, message: 'is a part of the request line, which is not changed as a header', remedy };
  } else if (!isHeaderName(name)) {
    yield { path, value: name, message: 'is not the name of a header', remedy: 'use for example x-version' };
  }
}

function* validateValue(path: string, value: string): Iterable<Violation> {
  if (!isHeaderText(value)) {
    const remedy = 'remove line breaks and other control characters';
    yield { path, value, message: 'has characters that a header cannot have', remedy };
    return;
  }
  for (const { value: command, message, remedy } of validateAccessLogFormat(value, 'TEXT')) {
    yield { path, value: command, message, remedy };
  }
}
