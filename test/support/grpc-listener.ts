import type { GrpcListenerSettings } from '../../src/net/grpc-listener.js';

/** Settings of a gRPC listener on a loopback port that the system chooses, without limits that a test would meet. */
export function loopbackListener(maxReceiveMessageBytes = 4_194_304): GrpcListenerSettings {
  return {
    host: '127.0.0.1',
    port: 0,
    keepaliveIntervalMs: 30_000,
    keepaliveTimeoutMs: 10_000,
    maxConnectionAgeMs: Number.MAX_SAFE_INTEGER,
    maxConcurrentStreams: 1000,
    maxReceiveMessageBytes,
  };
}
