import { X509Certificate } from 'node:crypto';
import type { CallCredentials } from '../../../src/net/call-credentials.js';

export const NOTHING: CallCredentials = {
  verifiedCertificate: undefined,
  bearerToken: undefined,
  clusterId: undefined,
  peer: '127.0.0.1:1',
};

export function withToken(bearerToken: string, clusterId?: string): CallCredentials {
  return { ...NOTHING, bearerToken, clusterId };
}

export function withCertificate(certificate: string): CallCredentials {
  return { ...NOTHING, verifiedCertificate: new X509Certificate(certificate) };
}

/** A token with these claims, whose signature is nonsense. */
export function unsignedToken(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}.c2lnbmF0dXJl`;
}
