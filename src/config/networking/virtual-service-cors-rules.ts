import { parseDuration } from '../../base/parse-duration.js';
import { validateDuration } from '../duration-rules.js';
import type { ObjectRegexes } from '../policy/object-regexes.js';
import type { Violation } from '../violation.js';
import { validateEnvoyRegex } from './envoy-regex.js';
import { isHeaderName, isHeaderText } from './header-rules.js';
import type { CorsSpec } from './virtual-service-http.js';

export function* validateCors(path: string, cors: CorsSpec | undefined, regexes: ObjectRegexes): Iterable<Violation> {
  if (cors === undefined) return;
  const {
    allowOrigin = [],
    allowOrigins = [],
    allowMethods = [],
    allowHeaders = [],
    exposeHeaders = [],
    maxAge,
  } = cors;
  for (const [index, origin] of allowOrigin.entries()) {
    if (origin !== '' && isHeaderText(origin)) continue;
    const remedy = 'use for example https://shop.example.com, or *';
    yield { path: `${path}.allowOrigin[${index}]`, value: origin, message: 'is not an origin', remedy };
  }
  for (const [index, origin] of allowOrigins.entries()) {
    const at = `${path}.allowOrigins[${index}]`;
    yield* regexes(`${at}.regex`, origin.regex);
    yield* validateEnvoyRegex(`${at}.regex`, origin.regex);
    const text = origin.exact ?? origin.prefix ?? origin.regex ?? '';
    if (isHeaderText(text)) continue;
    yield { path: at, value: text, message: 'has control characters', remedy: 'remove them' };
  }
  for (const [index, method] of allowMethods.entries()) {
    if (isHeaderName(method)) continue;
    yield {
      path: `${path}.allowMethods[${index}]`,
      value: method,
      message: 'is not a method',
      remedy: 'use for example GET',
    };
  }
  yield* validateNames(`${path}.allowHeaders`, allowHeaders);
  yield* validateNames(`${path}.exposeHeaders`, exposeHeaders);
  const violations = [...validateDuration(`${path}.maxAge`, maxAge)];
  yield* violations;
  if (maxAge !== undefined && violations.length === 0 && parseDuration(maxAge) % 1000 !== 0) {
    yield { path: `${path}.maxAge`, value: maxAge, message: 'is finer than a second', remedy: 'round it to seconds' };
  }
}

function* validateNames(path: string, names: readonly string[]): Iterable<Violation> {
  for (const [index, name] of names.entries()) {
    if (isHeaderName(name)) continue;
    yield {
      path: `${path}[${index}]`,
      value: name,
      message: 'is not the name of a header',
      remedy: 'use for example x-user',
    };
  }
}
