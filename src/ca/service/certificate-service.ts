import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Clock } from '../../base/clock.js';
import { type ConcurrencyLimits, createConcurrencyLimiter, OverloadError } from '../../base/concurrency-limiter.js';
import { callCredentialsOf } from '../../net/call-credentials.js';
import type { GrpcService } from '../../net/grpc-service.js';
import { passThrough, rawStreamingMethod } from '../../net/raw-method.js';
import { RequestStreamError, readOnlyRequest } from '../../net/read-only-request.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createSubjectLog } from '../../telemetry/subject-log.js';
import { AuthenticationError } from '../authentication/authenticator.js';
import type { AuthenticateCaller } from '../authentication/caller-authentication.js';
import { SigningError } from '../authority/certificate-authority.js';
import {
  encodeCertificateResponse,
  type MeshCertificateRequest,
  readCertificateRequestMessage,
} from './certificate-messages.js';
import { CallFailure, createIssueForCaller, type IssueForCallerOptions } from './issue-for-caller.js';

export interface CertificateServiceOptions extends IssueForCallerOptions {
  readonly authenticate: AuthenticateCaller;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Scope `serverca`. */
  readonly logger: Logger;
  /** Limits of signing. The default suits a process with two cores. */
  readonly limits?: ConcurrencyLimits;
}

const SERVICE = 'mesh.ca.v1.MeshCertificateService';
const METHOD = 'CreateCertificate';
export const CREATE_CERTIFICATE_PATH = `/${SERVICE}/${METHOD}`;
const LIMITS: ConcurrencyLimits = { maxConcurrent: 16, maxWaiting: 10_000, maxWaitMs: 10_000 };
const MAX_DETAILS_LENGTH = 1024;

type Call = ServerDuplexStream<Buffer, Buffer>;

/**
 * Serves `mesh.ca.v1.MeshCertificateService` (docs/reference/certificate-authority.md#certificate-service), on secured
 * listeners only.
 */
export function createCertificateService(options: CertificateServiceOptions): GrpcService {
  const { authenticate, metrics, clock, logger, limits = LIMITS } = options;
  const issue = createIssueForCaller(options);
  const limiter = createConcurrencyLimiter(limits, clock);
  const refusals = createSubjectLog(logger, clock);
  const failures = createLimitedLog(logger, clock);

  const answer = async (call: Call): Promise<Buffer> => {
    metrics.increment('ca_server_csr_count');
    const credentials = callCredentialsOf(call);
    const caller = await authenticate(credentials).catch((cause: unknown) => {
      metrics.increment('ca_server_authentication_failure_count');
      if (cause instanceof AuthenticationError && cause.isOverload) {
        throw new CallFailure('RESOURCE_EXHAUSTED', cause.message, { cause });
      }
      throw new CallFailure('UNAUTHENTICATED', 'request authenticate failure', { cause });
    });
    // The request is not read before the caller is authenticated.
    const request = parse(await readOnlyRequest(call), metrics);
    const chain = await limiter.run(caller.identities.join(), async () => {
      if (call.cancelled) throw new CallFailure('CANCELLED', 'the caller has cancelled the call');
      return await issue(caller, request);
    });
    metrics.increment('ca_server_success_cert_issuance_count');
    logger.debug({ peer: credentials.peer, ...caller }, 'certificate issued');
    return encodeCertificateResponse(chain);
  };

  const failureOf = (error: unknown, peer: string): CallFailure => {
    if (error instanceof SigningError) metrics.increment('ca_server_csr_sign_err_count', { error: error.code });
    if (error instanceof OverloadError) metrics.increment('ca_server_csr_shed_count', { reason: error.reason });
    const failure = callFailureOf(error);
    if (failure.code === 'INTERNAL') failures.error({ peer, err: error }, 'certificate issuance failed');
    // Without the port, because each connection of a peer has another port.
    else refusals.warn(peer.replace(/:\d+$/, ''), { peer, err: error }, 'certificate request rejected');
    return failure;
  };

  const handle = (call: Call): void => {
    call.on('error', () => undefined);
    answer(call).then(
      (response) => {
        call.write(response);
        call.end();
      },
      (error: unknown) => {
        const { code, message } = failureOf(error, call.getPeer());
        call.emit('error', { code: status[code], details: message.slice(0, MAX_DETAILS_LENGTH) });
      },
    );
  };
  return {
    name: SERVICE,
    requestClasses: { [CREATE_CERTIFICATE_PATH]: 'certificate' },
    // On the wire a unary call is a stream of one message.
    addTo: (server) =>
      server.addService({ [METHOD]: rawStreamingMethod(CREATE_CERTIFICATE_PATH, passThrough) }, { [METHOD]: handle }),
  };
}

function parse(bytes: Buffer, metrics: Metrics): MeshCertificateRequest {
  try {
    return readCertificateRequestMessage(bytes);
  } catch (cause) {
    metrics.increment('ca_server_csr_parsing_err_count');
    throw new CallFailure('INVALID_ARGUMENT', 'the message is not a MeshCertificateRequest', { cause });
  }
}

/** Statuses and texts of docs/reference/certificate-authority.md#certificate-service. */
function callFailureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof RequestStreamError) return new CallFailure(error.code, error.message, { cause: error });
  if (error instanceof SigningError) {
    const isCallersFault = error.code === 'CSR_ERROR' || error.code === 'TTL_ERROR';
    return new CallFailure(isCallersFault ? 'INVALID_ARGUMENT' : 'INTERNAL', `CSR signing error (${error.message})`, {
      cause: error,
    });
  }
  if (error instanceof OverloadError) {
    return new CallFailure('RESOURCE_EXHAUSTED', `too many certificate requests: ${error.message}; try again`);
  }
  return new CallFailure('INTERNAL', 'internal error', { cause: error });
}
