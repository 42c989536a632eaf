import type { WorkloadIdentity } from '../../model/spiffe-id.js';

/** What a workload proves who it is with, and whom it trusts. All PEM. */
export interface WorkloadCertificate {
  /** The leaf, then the intermediates. */
  readonly chain: string;
  readonly privateKey: string;
  /** Every root that is trusted. */
  readonly roots: string;
}

/** The secrets of one connection, made for it alone. */
export interface ConnectionSecrets {
  /** Undefined until there is a first certificate. A new object whenever anything of it is another. */
  current(): WorkloadCertificate | undefined;
  /** Called after `current` has changed: in time before it expires, and when roots come and go. @returns ends it. */
  onChange(listener: () => void): () => void;
  /** The connection is gone: forgets the key. */
  close(): void;
}

/** Where the secrets of workloads come from. */
export interface SecretSource {
  /** Whether there are secrets for that identity: not for one that another trust domain vouches for. */
  isFor(identity: WorkloadIdentity): boolean;
  /** @param identity proven by the connection */
  open(identity: WorkloadIdentity): ConnectionSecrets;
}
