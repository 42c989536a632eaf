import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { clientCertificateOf } from '../../net/client-certificate.js';

/** The sender of a review, for deciding which review runs next. */
export interface ReviewCaller {
  /** Its address: callers without a certificate share fairly by address. */
  readonly source: string;
  /** It has presented a client certificate of the cluster, as an API server can be told to. */
  readonly isTrusted: boolean;
}

/** Kubelets have certificates of the same authority, and every node would get priority with one of them. */
const NODES = /^O=system:nodes$/m;

export function reviewCallerOf({ socket }: IncomingMessage): ReviewCaller {
  const certificate = socket instanceof TLSSocket ? clientCertificateOf(socket) : undefined;
  return {
    source: socket.remoteAddress ?? '',
    isTrusted: certificate !== undefined && !NODES.test(certificate.subject),
  };
}
