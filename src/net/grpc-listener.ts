import type { ServerOptions } from '@grpc/grpc-js';

/**
 * Limits and times of a gRPC listener (docs/configuration.md#flags-of-every-command,
 * docs/configuration.md#environment-variables, docs/reference/errors.md#limits).
 */
export interface GrpcListenerSettings {
  /** Empty for every interface. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  /** More than a timer can hold means for ever. */
  readonly maxConnectionAgeMs: number;
  /** A connection without any call is closed after that; for ever unless given. */
  readonly maxConnectionIdleMs?: number;
  /** Of one connection. */
  readonly maxConcurrentStreams: number;
  readonly maxReceiveMessageBytes: number;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long a connection past its age may finish what it does (docs/reference/xds.md#keepalive). */
const AGE_GRACE_MS = 10_000;

/** What grpc-js is told of them. */
export function grpcServerOptions(settings: GrpcListenerSettings): ServerOptions {
  return {
    'grpc.max_concurrent_streams': settings.maxConcurrentStreams,
    'grpc.max_receive_message_length': settings.maxReceiveMessageBytes,
    // Counting every message for a debug service that is not served costs more than some messages.
    'grpc.enable_channelz': 0,
    'grpc.keepalive_time_ms': Math.min(settings.keepaliveIntervalMs, MAX_TIMER_MS),
    'grpc.keepalive_timeout_ms': Math.min(settings.keepaliveTimeoutMs, MAX_TIMER_MS),
    ...(settings.maxConnectionIdleMs === undefined
      ? {}
      : { 'grpc.max_connection_idle_ms': settings.maxConnectionIdleMs }),
    ...(settings.maxConnectionAgeMs <= MAX_TIMER_MS
      ? {
          'grpc.max_connection_age_ms': settings.maxConnectionAgeMs,
          'grpc.max_connection_age_grace_ms': AGE_GRACE_MS,
        }
      : {}),
  };
}
