import type { Violation } from '../../../violation.js';

/** The violations of a text that policy servers cannot use as a URL of HTTP. */
export function* urlViolations(
  path: string,
  text: string,
  { use = 'use a URL that begins with http:// or https://', credentials = 'remove them: they are not sent' } = {},
): Iterable<Violation> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    yield { path, value: text, message: 'is not a URL of HTTP', remedy: use };
  } else if (url.username !== '' || url.password !== '') {
    // Not the value: it has a password.
    yield { path, message: 'has credentials in it', remedy: credentials };
  }
}
