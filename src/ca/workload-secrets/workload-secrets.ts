import type { Clock } from '../../base/clock.js';
import { formatSpiffeId, type WorkloadIdentity } from '../../model/spiffe-id.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CertificateAuthority } from '../authority/certificate-authority.js';
import { createChangeListeners } from '../change-listeners.js';
import { createBundleJudge } from '../renewal/judge-bundle.js';
import type { KeyAndChain } from '../renewal/renewed-certificate.js';
import { createRenewedCertificate } from '../renewal/renewed-certificate.js';

export interface WorkloadSecretsOptions {
  readonly authority: CertificateAuthority;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: spreads renewals. */
  readonly random: () => number;
  /** Throws when the identity may not get another certificate. Default: always allowed. */
  readonly checkIdentity?: (identity: WorkloadIdentity) => void;
}

/** The key and certificate of one workload while its connection lasts. */
export interface WorkloadSecret {
  /** Undefined until the first certificate is issued, and after a certificate expired without a replacement. */
  current(): KeyAndChain | undefined;
  /** Called when `current` changes, also for the first certificate. @returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

/**
 * Makes keys and certificates for SDS, keeps them only in memory, and renews them between 50 % and 80 % of their
 * lifetime.
 */
export interface WorkloadSecrets {
  /**
   * The secret of an identity on a connection. Repeated calls return the same one until the connection is closed.
   *
   * @param connection a key that is unique among the connections of this process
   * @param identity that the connection has proven
   */
  open(connection: string, identity: WorkloadIdentity): WorkloadSecret;
  /** Drops the keys of a connection that has ended. */
  close(connection: string): void;
  /** Number of open secrets. */
  readonly size: number;
  stop(): void;
}

interface OpenSecret extends WorkloadSecret {
  end(): void;
}

export function createWorkloadSecrets(options: WorkloadSecretsOptions): WorkloadSecrets {
  const { authority, clock, logger, random, checkIdentity } = options;
  const judge = createBundleJudge();
  const connections = new Map<string, Map<string, OpenSecret>>();

  const create = (identity: WorkloadIdentity, spiffeId: string): OpenSecret => {
    const listeners = createChangeListeners();
    const certificate = createRenewedCertificate({
      authority,
      judge,
      subjectAltNames: [{ type: 'uri', value: spiffeId }],
      mayIssue: () => checkIdentity?.(identity),
      clock,
      logger,
      random,
      onChange: listeners.tell,
    });
    // The certificate itself logs and retries failures.
    void certificate.start();
    return {
      current: certificate.current,
      onChange: listeners.add,
      end: certificate.close,
    };
  };

  const close = (connection: string): void => {
    for (const secret of connections.get(connection)?.values() ?? []) secret.end();
    connections.delete(connection);
  };

  return {
    open: (connection, identity) => {
      const spiffeId = formatSpiffeId(identity);
      const secrets = connections.get(connection) ?? new Map<string, OpenSecret>();
      connections.set(connection, secrets);
      const secret = secrets.get(spiffeId) ?? create(identity, spiffeId);
      secrets.set(spiffeId, secret);
      return secret;
    },
    close,
    get size() {
      return [...connections.values()].reduce((sum, { size }) => sum + size, 0);
    },
    stop: () => {
      for (const connection of [...connections.keys()]) close(connection);
    },
  };
}
