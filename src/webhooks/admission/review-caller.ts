import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { clientCertificateOf } from '../../net/connection-certificates.js';

/** The sender of a review, which decides about the order of reviews. */
export interface ReviewCaller {
  /** IP address: callers without a certificate share fairly by address. */
  readonly source: string;
  /** The caller presented a client certificate of the cluster. API servers can be configured to do so. */
  readonly isTrusted: boolean;
}

/** Kubelets have certificates of the same CA, which must not give priority to every node. */
const NODES = /^O=system:nodes$/m;

export function reviewCallerOf({ socket }: IncomingMessage): ReviewCaller {
  const certificate = socket instanceof TLSSocket ? clientCertificateOf(socket) : undefined;
  return {
    source: socket.remoteAddress ?? '',
    isTrusted: certificate !== undefined && !NODES.test(certificate.subject),
  };
}
