import type { WorkloadIdentity } from '../../../model/spiffe-id.js';

/** The sender of a call. */
export type Caller =
  /** Over plaintext, where the listener accepts it: its statements are not verified. */
  | { readonly type: 'anonymous' }
  /** With a certificate of the mesh. Its identity decides the rights. */
  | {
      readonly type: 'workload';
      readonly identity: WorkloadIdentity;
      /** Its IP address as seen by this server; empty for a closed connection. */
      readonly address: string;
    };

export const ANONYMOUS: Caller = { type: 'anonymous' };

/** Which rule a call breaks: a label of `policy_server_refused_calls_total`. */
export type RefusalReason =
  /** The certificate names no workload of this mesh. */
  | 'identity'
  /** The call is for a service that the caller does not serve. */
  | 'service'
  /** The call's metadata or attributes name another workload than the caller. */
  | 'claims'
  /** Only other policy servers may call the method. */
  | 'method';

/** A call that the identity of the caller does not permit. No quota is charged. The caller gets the message. */
export class CallerRefusedError extends Error {
  readonly reason: RefusalReason;
  readonly code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED';

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
    this.name = 'CallerRefusedError';
    this.code = reason === 'identity' ? 'UNAUTHENTICATED' : 'PERMISSION_DENIED';
  }
}

/**
 * Identifies a proxy: proxies share accounts, and a peer without a certificate uses another port for each connection.
 *
 * @param address IP address of the caller
 */
export function peerText(caller: Caller, address: string): string {
  return caller.type === 'workload' ? `${callerText(caller.identity)}@${caller.address}` : address;
}

/** `namespace/account`, for messages. */
export function callerText({ namespace, serviceAccount }: WorkloadIdentity): string {
  return `${namespace}/${serviceAccount}`;
}
