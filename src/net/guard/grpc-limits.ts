import type { GrpcService } from '../grpc-service.js';

/** While others of its address wait, a message at its turn may take this long for its next bytes. */
export const TURN_MS = 5000;

/** Limits of peers of gRPC listeners. Each field is named like the flag that sets it. */
export interface GrpcLimits {
  /** Bytes of incomplete messages of all peers of the process. */
  readonly grpcMaxIncompleteBytes: number;
  /**
   * Bytes of incomplete messages of one address: an IPv4 address, or the /64 network of an IPv6 address. Long messages
   * and new connections wait until there is room for them.
   */
  readonly grpcMaxIncompleteBytesPerAddress: number;
  readonly grpcMaxIncompleteBytesPerConnection: number;
  /** From the first byte of a message to its last; for the first message of a stream, from the stream's headers. */
  readonly grpcMessageTimeoutMs: number;
  /** Metadata of one stream, names and values, after decompression. */
  readonly grpcMaxHeaderBytes: number;
  readonly grpcMaxCertificateRequestBytes: number;
  /** Size of a Check of the policy server. */
  readonly grpcMaxCheckBytes: number;
  /** Size of a request to the health or reflection service. */
  readonly grpcMaxProbeBytes: number;
  /** PING and SETTINGS frames of one connection in a second. */
  readonly grpcMaxControlFrames: number;
  /** Bytes of one connection in a second that belong to no stream. */
  readonly grpcMaxControlBytes: number;
  /** Streams of one connection in ten seconds that end before their first message is complete. */
  readonly grpcMaxAbandonedStreams: number;
  /** Connections without a complete message yet, of all peers of the process. */
  readonly grpcMaxUnprovenConnections: number;
  readonly grpcMaxUnprovenConnectionsPerAddress: number;
  /** Time from the start of a connection to its first complete message. */
  readonly grpcUnprovenTimeoutMs: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** A mesh of 10,000 sidecars behind one address does not reach these limits, even if all sidecars connect at once. */
export const DEFAULT_GRPC_LIMITS: GrpcLimits = {
  grpcMaxIncompleteBytes: 256 * MIB,
  grpcMaxIncompleteBytesPerAddress: 128 * MIB,
  grpcMaxIncompleteBytesPerConnection: 16 * MIB,
  grpcMessageTimeoutMs: 30_000,
  grpcMaxHeaderBytes: 32 * KIB,
  // A PEM request has at most 32 KiB; the rest is for the message around it.
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

/** Limits that a peer can reach, as the label of the metric names them. */
export type GrpcLimitName =
  | 'incomplete_bytes'
  | 'incomplete_bytes_per_address'
  | 'incomplete_bytes_per_connection'
  | 'delayed_messages'
  | 'turn_timeout'
  | 'message_timeout'
  | 'message_size'
  | 'header_bytes'
  | 'compressed_message'
  | 'control_frames'
  | 'control_bytes'
  | 'abandoned_streams'
  | 'unproven_connections'
  | 'unproven_connections_per_address'
  | 'unproven_timeout'
  | 'http_connections'
  | 'http_connections_per_address'
  | 'early_requests'
  | 'unread_responses';

/** A limit that a peer has reached, for the metric, the log and the error to the peer. */
export interface ReachedLimit {
  readonly limit: GrpcLimitName;
  /** The setting of the limit, such as `--grpcMaxHeaderBytes`; empty if there is none. */
  readonly setting: string;
  readonly value: number;
  /** Address and port. */
  readonly peer: string;
  /** Key of the limits per address. */
  readonly address: string;
}

/** Kinds of methods whose requests are short. */
export type RequestClass = 'certificate' | 'check';

/** Services of the libraries of grpc-js, which every server has. */
const PROBES = /^\/grpc\.(?:health|reflection)\./;

/**
 * Maximum size of a request, by its path.
 *
 * @param otherwise limit of the methods without a class
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
