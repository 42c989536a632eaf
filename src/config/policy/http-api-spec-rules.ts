import { KNOWN_METHODS } from '../attributes/attribute-vocabulary.js';
import { childPath, type Violation } from '../violation.js';
import { validateAttributes } from './attribute-rules.js';
import type { ApiKeySpec, HttpApiSpec, HttpApiSpecPattern } from './http-api-spec.js';
import { firstViolations } from './limits.js';
import { createObjectRegexes, type ObjectRegexes } from './object-regexes.js';
import { parseUriTemplate } from './uri-template.js';

const HEADER_NAME = /^:?[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Rules of an HTTPAPISpec that its schema cannot express (docs/reference/validation-rules.md#httpapispec-rules). */
export function validateHttpApiSpec(spec: HttpApiSpec, regexes = createObjectRegexes()): readonly Violation[] {
  return firstViolations(httpApiSpecViolations(spec, '', regexes));
}

/** The violations of an HTTPAPISpec inside another object, at `path`. */
export function* httpApiSpecViolations(spec: HttpApiSpec, path: string, regexes: ObjectRegexes): Iterable<Violation> {
  yield* validateAttributes(spec.attributes, childPath(path, 'attributes'));
  for (const [index, pattern] of spec.patterns.entries()) {
    yield* patternViolations(pattern, childPath(childPath(path, 'patterns'), index), regexes);
  }
  for (const [index, key] of spec.apiKeys.entries()) {
    yield* apiKeyViolations(key, childPath(childPath(path, 'apiKeys'), index));
  }
}

function* patternViolations(pattern: HttpApiSpecPattern, path: string, regexes: ObjectRegexes): Iterable<Violation> {
  const { httpMethod, uriTemplate } = pattern;
  yield* validateAttributes(pattern.attributes, `${path}.attributes`);
  if (
    httpMethod !== undefined &&
    httpMethod !== httpMethod.toUpperCase() &&
    KNOWN_METHODS.includes(httpMethod.toUpperCase())
  ) {
    yield {
      path: `${path}.httpMethod`,
      value: httpMethod,
      message: 'matches no request, because methods are case-sensitive',
      remedy: `write ${httpMethod.toUpperCase()}`,
    };
  }
  if (uriTemplate !== undefined) {
    const parsed = parseUriTemplate(uriTemplate);
    if (parsed.type === 'error') {
      const { message, remedy } = parsed;
      yield { path: `${path}.uriTemplate`, value: uriTemplate, message, remedy };
    }
  }
  yield* regexes(`${path}.regex`, pattern.regex);
}

function* apiKeyViolations({ header }: ApiKeySpec, path: string): Iterable<Violation> {
  if (header === undefined || HEADER_NAME.test(header)) return;
  yield {
    path: `${path}.header`,
    value: header,
    message: 'is not the name of a header',
    remedy: 'use for example x-api-key',
  };
}
