import type { PushContext } from '../model/push-context.js';
import type { Logger } from '../telemetry/logger.js';

/** Logs each snapshot at `debug`. */
export function createSnapshotLog(logger: Logger): { observe(context: PushContext): void } {
  return {
    observe: ({ sequence, version, services, endpoints, findings }) => {
      if (!logger.isDebugEnabled()) return;
      const counts = { services: services.length, hostsWithEndpoints: endpoints.size, findings: findings.length };
      logger.debug({ sequence, version, ...counts }, 'snapshot was made');
    },
  };
}
