import { randomUUID } from 'node:crypto';
import type { TrustDomains } from '../../ca/authentication/spiffe/trust-domains.js';
import type { CertificateAuthority } from '../../ca/authority/certificate-authority.js';
import type { WorkloadSecrets } from '../../ca/workload-secrets/workload-secrets.js';
import type { SecretSource, WorkloadCertificate } from '../../xds/secrets/secret-service.js';

/**
 * The secrets that SDS serves to a connection: a key and certificate of its own, and the root certificates.
 *
 * @param trustDomains workloads of other trust domains get no certificate of our authority
 */
export function createSecretSource(
  workloads: WorkloadSecrets,
  authority: CertificateAuthority,
  trustDomains: TrustDomains,
): SecretSource {
  return {
    isFor: ({ trustDomain }) => trustDomains.isOwn(trustDomain),
    open: (identity) => {
      const connection = randomUUID();
      const secret = workloads.open(connection, identity);
      let present: WorkloadCertificate | undefined;

      const compose = (): WorkloadCertificate | undefined => {
        const issued = secret.current();
        const roots = authority.bundle().roots.join('');
        if (issued === undefined || roots === '') return undefined;
        return { chain: issued.certificateChain, privateKey: issued.privateKey, roots };
      };
      return {
        current: () => {
          const next = compose();
          const isSame =
            next?.chain === present?.chain &&
            next?.privateKey === present?.privateKey &&
            next?.roots === present?.roots;
          if (!isSame) present = next;
          return present;
        },
        onChange: (listener) => {
          const ends = [secret.onChange(listener), authority.onChange(listener)];
          return () => {
            for (const end of ends) end();
          };
        },
        close: () => workloads.close(connection),
      };
    },
  };
}
