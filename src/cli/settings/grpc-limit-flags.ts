import { formatDuration } from '../../config/format-duration.js';
import { DEFAULT_GRPC_LIMITS, type GrpcLimits } from '../../net/guard/grpc-limits.js';
import { duration, integer } from '../values/scalar-types.js';
import type { FlagTable } from './setting.js';

const amount = integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const time = duration({ minNs: 1_000_000n });

const defaultOf = (field: keyof GrpcLimits): string => String(DEFAULT_GRPC_LIMITS[field]);
const defaultTimeOf = (field: keyof GrpcLimits): string =>
  formatDuration(BigInt(DEFAULT_GRPC_LIMITS[field]) * 1_000_000n);

/** Limits for peers of the gRPC listeners. */
export const grpcLimitFlags: FlagTable<GrpcLimits> = {
  grpcMaxIncompleteBytes: {
    name: 'grpcMaxIncompleteBytes',
    type: amount,
    default: defaultOf('grpcMaxIncompleteBytes'),
    meaning: 'Maximum bytes of incomplete gRPC messages of all peers together',
    addition: true,
  },
  grpcMaxIncompleteBytesPerAddress: {
    name: 'grpcMaxIncompleteBytesPerAddress',
    type: amount,
    default: defaultOf('grpcMaxIncompleteBytesPerAddress'),
    meaning:
      'Maximum bytes of incomplete gRPC messages of one address (for IPv6, a /64 network). Long messages and new connections wait until there is room; while they wait, a message that is not complete within two seconds is rejected. Beyond the maximum, the oldest incomplete message is rejected',
    addition: true,
  },
  grpcMaxIncompleteBytesPerConnection: {
    name: 'grpcMaxIncompleteBytesPerConnection',
    type: amount,
    default: defaultOf('grpcMaxIncompleteBytesPerConnection'),
    meaning: 'Maximum bytes of incomplete gRPC messages of one connection',
    addition: true,
  },
  grpcMessageTimeoutMs: {
    name: 'grpcMessageTimeout',
    type: time,
    default: defaultTimeOf('grpcMessageTimeoutMs'),
    meaning:
      'Maximum time from the first byte of a gRPC message to its last byte. For the first message of a call, the time begins with the headers of the call',
    addition: true,
  },
  grpcMaxHeaderBytes: {
    name: 'grpcMaxHeaderBytes',
    type: amount,
    default: defaultOf('grpcMaxHeaderBytes'),
    meaning: 'Maximum bytes of the metadata of one gRPC call, names and values',
    addition: true,
  },
  grpcMaxCertificateRequestBytes: {
    name: 'grpcMaxCertificateRequestBytes',
    type: amount,
    default: defaultOf('grpcMaxCertificateRequestBytes'),
    meaning: 'Maximum bytes of a CreateCertificate request',
    addition: true,
  },
  grpcMaxCheckBytes: {
    name: 'grpcMaxCheckBytes',
    type: amount,
    default: defaultOf('grpcMaxCheckBytes'),
    meaning: 'Maximum bytes of a Check request to the policy server',
    addition: true,
  },
  grpcMaxProbeBytes: {
    name: 'grpcMaxProbeBytes',
    type: amount,
    default: defaultOf('grpcMaxProbeBytes'),
    meaning: 'Maximum bytes of a request to the health or reflection service',
    addition: true,
  },
  grpcMaxControlFrames: {
    name: 'grpcMaxControlFrames',
    type: amount,
    default: defaultOf('grpcMaxControlFrames'),
    meaning: 'Maximum PING and SETTINGS frames of a gRPC connection per second',
    addition: true,
  },
  grpcMaxControlBytes: {
    name: 'grpcMaxControlBytes',
    type: amount,
    default: defaultOf('grpcMaxControlBytes'),
    meaning: 'Maximum bytes per second of a gRPC connection that do not belong to a call',
    addition: true,
  },
  grpcMaxAbandonedStreams: {
    name: 'grpcMaxAbandonedStreams',
    type: amount,
    default: defaultOf('grpcMaxAbandonedStreams'),
    meaning: 'Maximum calls of a gRPC connection in ten seconds that end before their first message is complete',
    addition: true,
  },
  grpcMaxUnprovenConnections: {
    name: 'grpcMaxUnprovenConnections',
    type: amount,
    default: defaultOf('grpcMaxUnprovenConnections'),
    meaning:
      'Maximum gRPC connections of all peers that have not sent a complete message. Beyond it, the oldest of them is closed',
    addition: true,
  },
  grpcMaxUnprovenConnectionsPerAddress: {
    name: 'grpcMaxUnprovenConnectionsPerAddress',
    type: amount,
    default: defaultOf('grpcMaxUnprovenConnectionsPerAddress'),
    meaning: 'Maximum gRPC connections of one address (for IPv6, a /64 network) that have not sent a complete message',
    addition: true,
  },
  grpcUnprovenTimeoutMs: {
    name: 'grpcUnprovenTimeout',
    type: time,
    default: defaultTimeOf('grpcUnprovenTimeoutMs'),
    meaning: 'Maximum time from the start of a gRPC connection to its first complete message',
    addition: true,
  },
};
