import type { X509Certificate } from 'node:crypto';
import type { ServerUnaryCall } from '@grpc/grpc-js';
import { type ConnectionCertificates, createConnectionCertificates } from './connection-certificates.js';
import { http2StreamOf } from './http2-stream-of.js';

/** The credentials of a call. */
export interface CallCredentials {
  /**
   * Leaf of the client's certificate chain, with the issuers that the client sent. Present only if the chain is
   * verified against the trusted roots.
   */
  readonly verifiedCertificate: X509Certificate | undefined;
  /** From the metadata `authorization: Bearer …`. */
  readonly bearerToken: string | undefined;
  /** From the metadata `clusterid`: the remote cluster whose API server knows the token. */
  readonly clusterId: string | undefined;
  /** Address and port, for logs. */
  readonly peer: string;
}

/** A call that grpc-js serves, of any kind. */
export type ServedCall = Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getPeer'>;

const BEARER = /^Bearer +([^\s]+)$/i;

/**
 * Reads the credentials from the metadata and the connection of the call
 * (docs/reference/certificate-authority.md#authenticators).
 *
 * @param certificates a cache for connections with many calls; without it, each call reads the certificate again
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
