import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { WorkloadIdentity } from '../../../model/spiffe-id.js';
import type { ServedCall } from '../../../net/call-credentials.js';
import { clientCertificateOf } from '../../../net/connection-certificates.js';
import { http2StreamOf } from '../../../net/http2-stream-of.js';
import { ANONYMOUS, type Caller, CallerRefusedError } from './caller.js';

/** Identifies the sender of a gRPC call. @throws CallerRefusedError */
export type CallerReader = (call: ServedCall) => Caller;

/** Identifies the other end of a connection. @throws CallerRefusedError */
export type ConnectionCallerReader = (socket: Socket) => Caller;

/** For a listener that accepts only plaintext. */
export const anonymous = (): Caller => ANONYMOUS;

export interface CallerReaders {
  readonly ofCall: CallerReader;
  readonly ofConnection: ConnectionCallerReader;
}

export interface CallerReaderOptions {
  /** The workload of a verified certificate; undefined for a certificate of another mesh. */
  readonly identify: (certificate: X509Certificate) => WorkloadIdentity | undefined;
  /** Gets refused callers. */
  readonly onRefused: (caller: Caller, error: CallerRefusedError) => void;
}

/**
 * Identifies callers by the certificate of their connection, calls once for each connection. A caller over plaintext is
 * anonymous; the listener decides whether it accepts plaintext.
 */
export function createCallerReaders({ identify, onRefused }: CallerReaderOptions): CallerReaders {
  const known = new WeakMap<object, Caller>();
  const read = (socket: unknown): Caller => {
    if (!(socket instanceof TLSSocket)) return ANONYMOUS;
    const certificate = clientCertificateOf(socket);
    const identity = certificate && identify(certificate);
    if (identity !== undefined) return { type: 'workload', identity, address: socket.remoteAddress ?? '' };
    const error = new CallerRefusedError(
      'identity',
      'the client certificate is not for spiffe://<trust domain>/ns/<namespace>/sa/<account> of this mesh',
    );
    onRefused(ANONYMOUS, error);
    throw error;
  };
  const ofCall: CallerReader = (call) => {
    const session = http2StreamOf(call)?.session;
    // Without a session, the connection is closed, or grpc-js has another structure: the caller is not proven.
    if (session === undefined) throw new CallerRefusedError('identity', 'the connection of the call is closed');
    let caller = known.get(session);
    if (caller === undefined) {
      caller = read(session.socket);
      known.set(session, caller);
    }
    return caller;
  };
  return { ofCall, ofConnection: read };
}
