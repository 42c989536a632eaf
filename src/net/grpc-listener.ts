import type { ServerOptions } from '@grpc/grpc-js';
import { MAX_TIMER_MS } from '../base/clock.js';

/** Limits and times of a gRPC listener (docs/configuration.md#flags-of-every-command). */
export interface GrpcListenerSettings {
  /** Empty for every interface. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  /** A value above the range of a timer means no limit. */
  readonly maxConnectionAgeMs: number;
  /** A connection without calls is closed after this time; default: never. */
  readonly maxConnectionIdleMs?: number;
  /** Streams at the same time on one connection. */
  readonly maxConcurrentStreams: number;
  readonly maxReceiveMessageBytes: number;
}

/** How long a connection that has reached its maximum age may finish its calls (docs/reference/xds.md#keepalive). */
const AGE_GRACE_MS = 10_000;

/** The settings as options of grpc-js. */
export function grpcServerOptions(settings: GrpcListenerSettings): ServerOptions {
  return {
    'grpc.max_concurrent_streams': settings.maxConcurrentStreams,
    'grpc.max_receive_message_length': settings.maxReceiveMessageBytes,
    // Channelz counts every message, which costs more than some messages, and the debug service is not served.
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
