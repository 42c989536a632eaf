import type { Clock } from '../../base/clock.js';
import type { ReadinessProbe } from '../../introspection/ready.js';
import type { Logger } from '../../telemetry/logger.js';

export interface CertificateProbeOptions {
  /** Whether there is a certificate for the webhooks, or there are no webhooks. */
  readonly isServed: () => boolean;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
}

/** While this instance has no certificate, API servers should call other instances. */
const PATIENCE_MS = 60_000;
const REMEDY =
  'earlier log lines say why there is no root, such as a missing right; with ENABLE_CA_SERVER=false and no certificate in files, none is needed';

/**
 * Reports not ready without a certificate for the webhooks, for a minute. Later it reports ready: a missing right to
 * read the root's secret can last, and the plaintext listeners would be lost with it.
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
        logger.error({ remedy: REMEDY }, 'no certificate, webhooks and the secured port reject every caller');
      isTold = true;
      return { ready: true };
    },
  };
}
