import type { Clock } from '../../base/clock.js';
import { formatSpiffeId, type WorkloadIdentity } from '../../model/identity/spiffe-id.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CertificateAuthority } from '../authority/certificate-authority.js';
import { createChangeListeners } from '../change-listeners.js';
import { createBundleJudge } from '../renewal/judge-bundle.js';
import type { KeyAndChain } from '../renewal/key-and-chain.js';
import { createRenewedCertificate } from '../renewal/renewed-certificate.js';

export interface WorkloadSecretsOptions {
  readonly authority: CertificateAuthority;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: spreads renewals. */
  readonly random: () => number;
  /** Throws when the identity must not have another certificate. Default: it always may. */
  readonly checkIdentity?: (identity: WorkloadIdentity) => void;
}

/** The key and certificate of one workload, as long as its connection lives. */
export interface WorkloadSecret {
  /** Undefined until the first is issued, and when one has run out because no other could be had. */
  current(): KeyAndChain | undefined;
  /** Called when `current` is another: the first time soon after it was opened. @returns ends it. */
  onChange(listener: () => void): () => void;
}

/** Keys and certificates for SDS: made here, held in memory alone, and renewed between half and 80 % of their life. */
export interface WorkloadSecrets {
  /**
   * The secret of an identity on a connection. Asking again gives the same one, until the connection is closed.
   *
   * @param connection a key that no two connections of this process share
   * @param identity that the connection has proven to be
   */
  open(connection: string, identity: WorkloadIdentity): WorkloadSecret;
  /** The connection has ended: its keys are forgotten. */
  close(connection: string): void;
  /** How many there are at present. */
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
    // Failures are told and tried again by the certificate itself.
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
