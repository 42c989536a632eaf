import { formatDuration } from '../../config/format-duration.js';
import { DEFAULT_GRPC_LIMITS, type GrpcLimits } from '../../net/guard/grpc-limits.js';
import { duration, integer } from '../values/scalar-types.js';
import type { FlagTable } from './setting.js';

const amount = integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const time = duration({ minNs: 1_000_000n });

const defaultOf = (field: keyof GrpcLimits): string => String(DEFAULT_GRPC_LIMITS[field]);
const defaultTimeOf = (field: keyof GrpcLimits): string =>
  formatDuration(BigInt(DEFAULT_GRPC_LIMITS[field]) * 1_000_000n);

/** Ours: what peers of the gRPC listeners may take. */
export const grpcLimitFlags: FlagTable<GrpcLimits> = {
  grpcMaxIncompleteBytes: {
    name: 'grpcMaxIncompleteBytes',
    type: amount,
    default: defaultOf('grpcMaxIncompleteBytes'),
    meaning: 'Bytes that gRPC messages of all peers may take before they have arrived completely',
    addition: true,
  },
  grpcMaxIncompleteBytesPerAddress: {
    name: 'grpcMaxIncompleteBytesPerAddress',
    type: amount,
    default: defaultOf('grpcMaxIncompleteBytesPerAddress'),
    meaning: 'The same of one address (of IPv6, a /64 network); the oldest incomplete message has to go',
    addition: true,
  },
  grpcMaxIncompleteBytesPerConnection: {
    name: 'grpcMaxIncompleteBytesPerConnection',
    type: amount,
    default: defaultOf('grpcMaxIncompleteBytesPerConnection'),
    meaning: 'The same of one connection',
    addition: true,
  },
  grpcMessageTimeoutMs: {
    name: 'grpcMessageTimeout',
    type: time,
    default: defaultTimeOf('grpcMessageTimeoutMs'),
    meaning:
      'Time from the first byte of a gRPC message to its last; for the first message of a call, from its headers',
    addition: true,
  },
  grpcMaxHeaderBytes: {
    name: 'grpcMaxHeaderBytes',
    type: amount,
    default: defaultOf('grpcMaxHeaderBytes'),
    meaning: 'Bytes of the metadata of one gRPC call, names and values',
    addition: true,
  },
  grpcMaxCertificateRequestBytes: {
    name: 'grpcMaxCertificateRequestBytes',
    type: amount,
    default: defaultOf('grpcMaxCertificateRequestBytes'),
    meaning: 'Bytes of a CreateCertificate request',
    addition: true,
  },
  grpcMaxCheckBytes: {
    name: 'grpcMaxCheckBytes',
    type: amount,
    default: defaultOf('grpcMaxCheckBytes'),
    meaning: 'Bytes of a Check request to the policy server',
    addition: true,
  },
  grpcMaxProbeBytes: {
    name: 'grpcMaxProbeBytes',
    type: amount,
    default: defaultOf('grpcMaxProbeBytes'),
    meaning: 'Bytes of a request to the health or reflection service',
    addition: true,
  },
  grpcMaxControlFrames: {
    name: 'grpcMaxControlFrames',
    type: amount,
    default: defaultOf('grpcMaxControlFrames'),
    meaning: 'PING and SETTINGS frames that a gRPC connection may send within a second',
    addition: true,
  },
  grpcMaxControlBytes: {
    name: 'grpcMaxControlBytes',
    type: amount,
    default: defaultOf('grpcMaxControlBytes'),
    meaning: 'Bytes that a gRPC connection may send within a second that belong to no call',
    addition: true,
  },
  grpcMaxAbandonedStreams: {
    name: 'grpcMaxAbandonedStreams',
    type: amount,
    default: defaultOf('grpcMaxAbandonedStreams'),
    meaning: 'Calls of a gRPC connection within ten seconds that may end before their first message is complete',
    addition: true,
  },
  grpcMaxUnprovenConnections: {
    name: 'grpcMaxUnprovenConnections',
    type: amount,
    default: defaultOf('grpcMaxUnprovenConnections'),
    meaning: 'gRPC connections of all peers that wait for their first complete message; the oldest one has to go',
    addition: true,
  },
  grpcMaxUnprovenConnectionsPerAddress: {
    name: 'grpcMaxUnprovenConnectionsPerAddress',
    type: amount,
    default: defaultOf('grpcMaxUnprovenConnectionsPerAddress'),
    meaning: 'The same of one address (of IPv6, a /64 network)',
    addition: true,
  },
  grpcUnprovenTimeoutMs: {
    name: 'grpcUnprovenTimeout',
    type: time,
    default: defaultTimeOf('grpcUnprovenTimeoutMs'),
    meaning: 'Time from a gRPC connection to its first complete message',
    addition: true,
  },
};
