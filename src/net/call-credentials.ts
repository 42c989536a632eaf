import type { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { ServerUnaryCall } from '@grpc/grpc-js';
import { clientCertificateOf } from './client-certificate.js';
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

/** Reads them from the call's metadata and its connection (BEHAVIOUR 4, "Authenticators"). */
export function callCredentialsOf(call: ServedCall): CallCredentials {
  const socket: unknown = http2StreamOf(call)?.session?.socket;
  return {
    verifiedCertificate: socket instanceof TLSSocket ? clientCertificateOf(socket) : undefined,
    bearerToken: textsOf(call, 'authorization').flatMap((value) => BEARER.exec(value)?.[1] ?? [])[0],
    clusterId: textsOf(call, 'clusterid')[0],
    peer: call.getPeer(),
  };
}

function textsOf({ metadata }: ServedCall, key: string): readonly string[] {
  return metadata.get(key).filter((value) => typeof value === 'string');
}
