import { validateDuration } from '../duration-rules.js';
import { validateAddress } from '../mesh/proxy-config.js';
import type { Violation } from '../violation.js';
import type { ConnectionSpec } from './connection.js';

/** Rules of a connection that its schema cannot express. */
export function* validateConnection(path: string, connection: ConnectionSpec | undefined): Iterable<Violation> {
  if (connection === undefined) return;
  yield* validateAddress(`${path}.address`, connection.address);
  yield* validateDuration(`${path}.timeout`, connection.timeout);
  const { authHeader, customHeader, tokenPath, oauth } = connection.authentication?.tls ?? {};
  const header = authHeader === undefined ? 'customHeader' : 'authHeader';
  if ((authHeader ?? customHeader) !== undefined && (tokenPath ?? oauth) === undefined) {
    yield {
      path: `${path}.authentication.tls.${header}`,
      value: authHeader ?? customHeader,
      message: 'is the place of a token, and there is no token',
      remedy: 'set tokenPath or oauth, or remove it',
    };
  }
}
