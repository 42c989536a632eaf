import type { GrpcService } from '../grpc-service.js';
import type { GrpcLimits } from './grpc-limits.js';

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
