import type { X509Certificate } from 'node:crypto';
import type { ServerUnaryCall } from '@grpc/grpc-js';
import { type ConnectionCertificates, createConnectionCertificates } from './connection-certificates.js';
import { http2StreamOf } from './http2-stream-of.js';

/** What a caller has shown of itself. */
export interface CallCredentials {
  /**
   * The leaf of the client's certificate chain, with what it presented of its issuers; present only when the chain was
   * verified against the trusted roots.
   */
  readonly verifiedCertificate: X509Certificate | undefined;
  /** Of the metadata `authorization: Bearer …`. */
  readonly bearerToken: string | undefined;
  /** Of the metadata `clusterid`: the remote cluster whose API server knows the token. */
  readonly clusterId: string | undefined;
  /** Address and port, for logs. */
  readonly peer: string;
}

/** A call that grpc-js serves, of any kind. */
export type ServedCall = Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getPeer'>;

const BEARER = /^Bearer +([^\s]+)$/i;

/**
 * Reads them from the call's metadata and its connection (docs/reference/certificate-authority.md#authenticators).
 *
 * @param certificates of connections that have many calls; without them the certificate is read anew
 */
export function callCredentialsOf(
  call: ServedCall,
  certificates: ConnectionCertificates = createConnectionCertificates(),
): CallCredentials {
  const session = http2StreamOf(call)?.session;
  return {
    verifiedCertificate: session === undefined ? undefined : certificates.of(session),
    bearerToken: textsOf(call, 'authorization').flatMap((value) => BEARER.exec(value)?.[1] ?? [])[0],
    clusterId: textsOf(call, 'clusterid')[0],
    peer: call.getPeer(),
  };
}

function textsOf({ metadata }: ServedCall, key: string): readonly string[] {
  return metadata.get(key).filter((value) => typeof value === 'string');
}
