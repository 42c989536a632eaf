import type { GrpcService } from '../grpc-service.js';

/** What a peer of a gRPC listener may take. Fields have the names of the flags that set them. */
export interface GrpcLimits {
  /** Bytes of messages that have not arrived completely, of all peers of the process. */
  readonly grpcMaxIncompleteBytes: number;
  /** The same of one address: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly grpcMaxIncompleteBytesPerAddress: number;
  readonly grpcMaxIncompleteBytesPerConnection: number;
  /** From the first byte of a message to its last; for the first message of a stream, from the stream's headers. */
  readonly grpcMessageTimeoutMs: number;
  /** Of one stream, names and values, after decompression. */
  readonly grpcMaxHeaderBytes: number;
  readonly grpcMaxCertificateRequestBytes: number;
  /** Of a Check of the policy server. */
  readonly grpcMaxCheckBytes: number;
  /** Of a request to the health or reflection service. */
  readonly grpcMaxProbeBytes: number;
  /** PING and SETTINGS frames of one connection within a second. */
  readonly grpcMaxControlFrames: number;
  /** Bytes of one connection within a second that belong to no stream. */
  readonly grpcMaxControlBytes: number;
  /** Streams of one connection within ten seconds that end before their first message has arrived. */
  readonly grpcMaxAbandonedStreams: number;
  /** Connections that no complete message has arrived on yet, of all peers of the process. */
  readonly grpcMaxUnprovenConnections: number;
  readonly grpcMaxUnprovenConnectionsPerAddress: number;
  /** From the connection to its first complete message. */
  readonly grpcUnprovenTimeoutMs: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** A mesh of 10,000 sidecars behind one address does not meet them, not when all of them connect at once. */
export const DEFAULT_GRPC_LIMITS: GrpcLimits = {
  grpcMaxIncompleteBytes: 256 * MIB,
  grpcMaxIncompleteBytesPerAddress: 128 * MIB,
  grpcMaxIncompleteBytesPerConnection: 16 * MIB,
  grpcMessageTimeoutMs: 30_000,
  grpcMaxHeaderBytes: 32 * KIB,
  // A PEM request has 32 KiB at most; the rest is for the message around it.
  grpcMaxCertificateRequestBytes: 64 * KIB,
  grpcMaxCheckBytes: MIB,
  grpcMaxProbeBytes: 4 * KIB,
  grpcMaxControlFrames: 1000,
  grpcMaxControlBytes: MIB,
  grpcMaxAbandonedStreams: 200,
  grpcMaxUnprovenConnections: 12_000,
  grpcMaxUnprovenConnectionsPerAddress: 11_000,
  grpcUnprovenTimeoutMs: 60_000,
};

/** The limits that can be met, as the label of the metric says them. */
export type GrpcLimitName =
  | 'incomplete_bytes'
  | 'incomplete_bytes_per_address'
  | 'incomplete_bytes_per_connection'
  | 'message_timeout'
  | 'message_size'
  | 'header_bytes'
  | 'compressed_message'
  | 'control_frames'
  | 'control_bytes'
  | 'abandoned_streams'
  | 'unproven_connections'
  | 'unproven_connections_per_address'
  | 'unproven_timeout';

/** A limit that a peer has met, for the metric, the log and the answer to the peer. */
export interface ReachedLimit {
  readonly limit: GrpcLimitName;
  /** The setting that changes it, such as `--grpcMaxHeaderBytes`; empty where none does. */
  readonly setting: string;
  readonly value: number;
  /** Address and port. */
  readonly peer: string;
  /** What the limits per address count by. */
  readonly address: string;
}

/** Kinds of methods whose requests are short. */
export type RequestClass = 'certificate' | 'check';

/** Services that every server has, of grpc-js's libraries. */
const PROBES = /^\/grpc\.(?:health|reflection)\./;

/**
 * How long a request may be, by its path.
 *
 * @param otherwise of the methods that no class is given for
 */
export function createMessageLimits(
  limits: GrpcLimits,
  services: readonly Pick<GrpcService, 'requestClasses'>[],
  otherwise: number,
): (path: string) => number {
  const bytesOf: Readonly<Record<RequestClass, number>> = {
    certificate: limits.grpcMaxCertificateRequestBytes,
    check: limits.grpcMaxCheckBytes,
  };
  const known = new Map<string, number>();
  for (const { requestClasses = {} } of services) {
    for (const [path, requestClass] of Object.entries(requestClasses)) known.set(path, bytesOf[requestClass]);
  }
  return (path) => known.get(path) ?? (PROBES.test(path) ? limits.grpcMaxProbeBytes : otherwise);
}
