import { readFileSync } from 'node:fs';
import { credentials, Metadata } from '@grpc/grpc-js';
import { errorText } from '../base/error-text.js';
import { type AdsCredentials, PLAINTEXT_CREDENTIALS } from '../xds-client/ads-stream.js';
import type { PolicyFlags } from './options.js';

type DiscoveryFlags = Pick<
  PolicyFlags,
  'discoveryClientCertFile' | 'discoveryClientKeyFile' | 'discoveryRootCertFile' | 'discoveryTokenFile'
>;

/**
 * The credentials of this process for the discovery server: a client certificate, or a token. The files are read for
 * each connection, because kubelets and agents replace them.
 *
 * @returns a function that throws Error, naming the flag, when a file cannot be read
 */
export function createDiscoveryCredentials(flags: DiscoveryFlags): () => AdsCredentials {
  const { discoveryClientCertFile, discoveryClientKeyFile, discoveryRootCertFile, discoveryTokenFile } = flags;
  // A token must not cross the network in plaintext.
  if (discoveryRootCertFile === '') return PLAINTEXT_CREDENTIALS;
  return () => {
    const roots = readFor('--discoveryRootCert', discoveryRootCertFile);
    const metadata = new Metadata();
    if (discoveryClientCertFile !== '') {
      const certificate = readFor('--discoveryClientCert', discoveryClientCertFile);
      const key = readFor('--discoveryClientKey', discoveryClientKeyFile);
      return { channel: credentials.createSsl(roots, key, certificate), metadata };
    }
    if (discoveryTokenFile !== '') {
      const token = readFor('--discoveryTokenFile', discoveryTokenFile).toString('utf8').trim();
      metadata.set('authorization', `Bearer ${token}`);
    }
    return { channel: credentials.createSsl(roots), metadata };
  };
}

function readFor(flag: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const reason = errorText(cause);
    throw new Error(`the file of ${flag} cannot be read: ${reason}`, { cause });
  }
}
