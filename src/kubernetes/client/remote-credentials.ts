import { ClusterAccessError } from './cluster-access-error.js';

/** The credentials of this process in a remote cluster. */
export type RemoteCredentials =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'certificate'; readonly certificate: Buffer; readonly key: Buffer };

const TOKEN_REMEDY = 'give a service account with a token of its own';

/** Rejected fields: each would run a program, read a file of this machine, or change the identity. */
const REFUSED_FIELDS: ReadonlyMap<string, string> = new Map([
  ['exec', `it runs a program; ${TOKEN_REMEDY}`],
  ['auth-provider', `it may run a program; ${TOKEN_REMEDY}`],
  ['tokenFile', 'it names a file of this machine; give token'],
  ['client-certificate', 'it names a file of this machine; give client-certificate-data'],
  ['client-key', 'it names a file of this machine; give client-key-data'],
  ['username', `API servers know no passwords; ${TOKEN_REMEDY}`],
  ['as', `acting as somebody else is not supported; ${TOKEN_REMEDY}`],
  ['as-uid', `acting as somebody else is not supported; ${TOKEN_REMEDY}`],
  ['as-groups', `acting as somebody else is not supported; ${TOKEN_REMEDY}`],
  ['as-user-extra', `acting as somebody else is not supported; ${TOKEN_REMEDY}`],
]);

/**
 * Reads a kubeconfig's user: a token, else a client certificate.
 *
 * @throws ClusterAccessError when the user has neither, or a field that must not come over the network
 */
export function readRemoteCredentials(user: Readonly<Record<string, unknown>>): RemoteCredentials {
  for (const [field, why] of REFUSED_FIELDS) {
    const value = user[field];
    if (value !== undefined && value !== null && value !== '') throw invalid(`user.${field}: ${why}`);
  }
  const token = textOf(user, 'token');
  if (token !== '') {
    if (!isHeaderText(token)) throw invalid('user.token has characters that no token has');
    return { type: 'token', token };
  }
  const [certificate, key] = [textOf(user, 'client-certificate-data'), textOf(user, 'client-key-data')];
  if (certificate !== '' && key !== '') {
    return { type: 'certificate', certificate: Buffer.from(certificate, 'base64'), key: Buffer.from(key, 'base64') };
  }
  throw invalid(`user has no token, and no client-certificate-data with client-key-data; ${TOKEN_REMEDY}`);
}

function textOf(user: Readonly<Record<string, unknown>>, field: string): string {
  const value = user[field] ?? '';
  if (typeof value !== 'string') throw invalid(`user.${field} is not text`);
  return value.trim();
}

/** Tokens are base64 and JWTs: printable ASCII without spaces. */
function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function invalid(reason: string): ClusterAccessError {
  return new ClusterAccessError('KUBECONFIG_INVALID', reason);
}
