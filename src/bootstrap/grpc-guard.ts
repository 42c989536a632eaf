import type { Clock } from '../base/clock.js';
import { createGrpcGuard, type GrpcGuard } from '../net/guard/grpc-guard.js';
import type { GrpcLimits } from '../net/guard/grpc-limits.js';
import type { Logging } from '../telemetry/logging.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createSubjectLog } from '../telemetry/subject-log.js';

/** What peers of all gRPC listeners of the process may take, with a metric and a log line for each limit that is met. */
export function createProcessGuard(limits: GrpcLimits, metrics: Metrics, logging: Logging, clock: Clock): GrpcGuard {
  const log = createSubjectLog(logging.scope('default'), clock);
  return createGrpcGuard(limits, clock, ({ limit, setting, value, peer, address }) => {
    metrics.increment('nav_grpc_limits_reached', { limit });
    log.warn(`${address} ${limit}`, { peer, address, limit, value, setting }, 'gRPC limit reached');
  });
}
