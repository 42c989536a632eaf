import { setLogger } from '@grpc/grpc-js';
import { Registry } from 'prom-client';
import type { Clock } from '../base/clock.js';
import { createMessageEncoder, type MessageEncoder } from '../envoy/message-encoder.js';
import { createMessageJson, type MessageJson } from '../envoy/message-json.js';
import { withPatchMessages } from '../envoy/messages/patch-registry.js';
import { loadProtoRegistry, type ProtoRegistry } from '../envoy/proto-registry.js';
import { createGrpcGuard, type GrpcGuard } from '../net/guard/grpc-guard.js';
import type { GrpcLimits } from '../net/guard/grpc-limits.js';
import { type BuildInfo, readBuildInfo } from '../telemetry/build-info.js';
import type { Logging } from '../telemetry/logging.js';
import type { FamilyName } from '../telemetry/metric-families.js';
import { createMetrics, type Metrics, recordStart } from '../telemetry/metrics.js';
import { createOutgoingCalls, type OutgoingCalls } from '../telemetry/outgoing-calls.js';
import { createSubjectLog } from '../telemetry/subject-log.js';

/** The parts that both programs have, once in a process. */
export interface ProcessParts {
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly outgoing: OutgoingCalls;
  readonly build: BuildInfo;
  /** The messages of Envoy and of the mesh's own protocols. */
  readonly protos: ProtoRegistry;
  readonly encoder: MessageEncoder;
  readonly messageJson: MessageJson;
  /** Limits of the peers of all gRPC listeners. */
  readonly guard: GrpcGuard;
}

/** @param families those that this program records; the first scrape shows them */
export function createProcessParts(
  limits: GrpcLimits,
  logging: Logging,
  clock: Clock,
  families: readonly FamilyName[],
): ProcessParts {
  routeGrpcLog(logging);
  const registry = new Registry();
  const metrics = createMetrics(registry, families);
  const build = readBuildInfo();
  recordStart(metrics, registry, build);
  const protos = loadProtoRegistry();
  return {
    registry,
    metrics,
    outgoing: createOutgoingCalls(metrics, clock),
    build,
    protos,
    encoder: createMessageEncoder(protos),
    messageJson: createMessageJson(withPatchMessages(protos)),
    guard: createProcessGuard(limits, metrics, logging, clock),
  };
}

/** Writes the messages of grpc-js into the log. Without this, grpc-js writes to the console. */
function routeGrpcLog(logging: Logging): void {
  const logger = logging.scope('grpcAdapter');
  const text = (parts: readonly unknown[]): string => parts.map(String).join(' ');
  setLogger({
    error: (...parts: unknown[]) => logger.debug({ detail: text(parts) }, 'gRPC library reports an error'),
    info: (...parts: unknown[]) => logger.debug({ detail: text(parts) }, 'gRPC library reports'),
    debug: (...parts: unknown[]) => logger.debug({ detail: text(parts) }, 'gRPC library reports'),
  });
}

/** Each limit that a peer reaches is counted and logged. */
function createProcessGuard(limits: GrpcLimits, metrics: Metrics, logging: Logging, clock: Clock): GrpcGuard {
  const log = createSubjectLog(logging.scope('default'), clock);
  return createGrpcGuard(limits, clock, ({ limit, setting, value, peer, address }) => {
    metrics.increment('nav_grpc_limits_reached', { limit });
    log.warn(`${address} ${limit}`, { peer, address, limit, value, setting }, 'gRPC limit reached');
  });
}
