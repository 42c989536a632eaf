import type { Clock } from '../../base/clock.js';
import type { ReadinessProbe } from '../../introspection/ready.js';
import type { Logger } from '../../telemetry/logger.js';

export interface CertificateProbeOptions {
  /** Whether there is a certificate to serve API servers with, or nothing to serve them. */
  readonly isServed: () => boolean;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
}

/** While an instance has no certificate, others may have one: API servers had better ask those. */
const PATIENCE_MS = 60_000;
const REMEDY =
  'see above for why the root cannot be had, such as a right that is missing; with ENABLE_CA_SERVER=false, and no certificate in files, nothing needs one';

/**
 * Not ready without a certificate for the webhooks, for a minute. After that nothing is gained by it: whoever may not read
 * the root's secret today may not tomorrow, and what is served in plaintext would be lost to everybody.
 */
export function createCertificateProbe({ isServed, clock, logger }: CertificateProbeOptions): ReadinessProbe {
  let missingSinceMs: number | undefined;
  let isTold = false;
  return {
    name: 'webhooks',
    check: () => {
      if (isServed()) {
        missingSinceMs = undefined;
        isTold = false;
        return { ready: true };
      }
      missingSinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - missingSinceMs < PATIENCE_MS) {
        return { ready: false, reason: 'there is no certificate to serve API servers with yet' };
      }
      if (!isTold)
        logger.error({ remedy: REMEDY }, 'There is no certificate: webhooks and the secured port refuse everybody');
      isTold = true;
      return { ready: true };
    },
  };
}
