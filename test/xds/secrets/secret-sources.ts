import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { formatSpiffeId, type WorkloadIdentity } from '../../../src/model/spiffe-id.js';
import type { ConnectionSecrets, SecretSource, WorkloadCertificate } from '../../../src/xds/secrets/secret-service.js';
import type { TestAuthority } from '../../support/certificate-issuer.js';

export const SECRET_ENCODER = createMessageEncoder(loadProtoRegistry());

/** A source whose secrets a test changes. */
export interface ManualSource extends SecretSource {
  /** Those that are open, in the order they were opened. */
  readonly opened: ManualSecrets[];
}

export interface ManualSecrets extends ConnectionSecrets {
  readonly identity: WorkloadIdentity;
  readonly isClosed: boolean;
  readonly listeners: number;
  change(certificate: WorkloadCertificate | undefined): void;
}

/** @param initial what connections have when they open */
export function createManualSource(initial?: WorkloadCertificate): ManualSource {
  const opened: ManualSecrets[] = [];
  return {
    opened,
    isFor: () => true,
    open: (identity) => {
      const secrets = createManualSecrets(identity, initial);
      opened.push(secrets);
      return secrets;
    },
  };
}

function createManualSecrets(identity: WorkloadIdentity, initial: WorkloadCertificate | undefined): ManualSecrets {
  const listeners = new Set<() => void>();
  let certificate = initial;
  let isClosed = false;
  return {
    identity,
    get isClosed() {
      return isClosed;
    },
    get listeners() {
      return listeners.size;
    },
    change: (next) => {
      certificate = next;
      for (const listener of [...listeners]) listener();
    },
    current: () => certificate,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** Certificates of a test's authority, one for each connection. */
export function authoritySecrets(authority: TestAuthority): SecretSource {
  return {
    isFor: ({ trustDomain }) => trustDomain === 'cluster.local',
    open: (identity) => {
      const { certificate, key } = authority.issue({ uris: [formatSpiffeId(identity)] });
      const current = { chain: certificate, privateKey: key, roots: authority.certificate };
      return { current: () => current, onChange: () => () => undefined, close: () => undefined };
    },
  };
}
