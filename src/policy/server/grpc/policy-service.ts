import { type handleUnaryCall, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { rpcCodeNumber } from '../../../base/rpc-code.js';
import type { ServedCall } from '../../../net/call-credentials.js';
import type { GrpcService } from '../../../net/grpc-service.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { AttributeBag } from '../../client/attribute-bag.js';
import { type CallOptions, type PolicyTransport, PolicyTransportError } from '../../client/policy-transport.js';
import { POLICY_METHODS } from '../../remote/grpc-policy-transport.js';
import type { PolicyCodec } from '../../wire/policy-codec.js';
import { PolicyWireError } from '../../wire/policy-wire-error.js';
import { CallerRefusedError } from '../callers/caller.js';

export interface PolicyServiceOptions {
  /** Answers checks. Attempts with the same deduplication id must be charged once. */
  readonly answer: PolicyTransport['check'];
  /** Gets the reports of each call, in order. The call is answered when it settles. */
  readonly acceptReports: (attributes: readonly AttributeBag[]) => void | Promise<void>;
  readonly codec: PolicyCodec;
  readonly logger: Logger;
  /** @throws CallerRefusedError when the sender of the call is not a policy server */
  readonly admit?: (call: ServedCall) => void;
}

/** A call without a deadline has the one of our clients (docs/reference/policy-client.md#retries). */
const MAX_TIMEOUT_MS = 5000;
/** The longest text that fits in the trailers of an answer. */
const MAX_DETAILS_LENGTH = 1000;

/**
 * Serves `mesh.policy.v1.Policy` for `createGrpcPolicyTransport`. Invalid calls get INVALID_ARGUMENT with the problem.
 */
export function createPolicyService(options: PolicyServiceOptions): GrpcService {
  const { answer: answerCheck, acceptReports, codec, logger, admit = () => undefined } = options;
  const handlers = {
    Check: handler(logger, admit, async (request, callOptions) => {
      const answer = await answerCheck(codec.decodeCheckRequest(request), callOptions);
      return codec.encodeCheckResponse(answer);
    }),
    Report: handler(logger, admit, async (request) => {
      await acceptReports(codec.decodeReportRequest(request).attributes);
      return Buffer.alloc(0);
    }),
  };
  return {
    name: 'mesh.policy.v1.Policy',
    requestClasses: { [POLICY_METHODS.Check.path]: 'check' },
    addTo: (server) => server.addService(POLICY_METHODS, handlers),
  };
}

function handler(
  logger: Logger,
  admit: (call: ServedCall) => void,
  answer: (request: Buffer, options: CallOptions) => Promise<Buffer>,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    try {
      admit(call);
    } catch (error) {
      callback(callFailure(error, call, logger));
      return;
    }
    const controller = new AbortController();
    call.on('cancelled', () => controller.abort());
    answer(call.request, { timeoutMs: timeoutOf(call), signal: controller.signal }).then(
      (response) => callback(null, response),
      (error: unknown) => callback(callFailure(error, call, logger)),
    );
  };
}

function timeoutOf(call: ServerUnaryCall<Buffer, Buffer>): number {
  const remainingMs = Number(call.getDeadline()) - Date.now();
  return Math.min(Math.max(remainingMs, 0), MAX_TIMEOUT_MS);
}

function callFailure(
  error: unknown,
  call: ServerUnaryCall<Buffer, Buffer>,
  logger: Logger,
): { readonly code: status; readonly details: string } {
  const peer = call.getPeer();
  if (error instanceof CallerRefusedError) return { code: rpcCodeNumber(error.code), details: error.message };
  if (error instanceof PolicyWireError) {
    const details = error.message.slice(0, MAX_DETAILS_LENGTH);
    logger.debug({ peer, method: call.getPath(), reason: details }, 'policy call refused');
    return { code: status.INVALID_ARGUMENT, details };
  }
  if (error instanceof PolicyTransportError) {
    return { code: rpcCodeNumber(error.code), details: error.message.slice(0, MAX_DETAILS_LENGTH) };
  }
  logger.error({ err: error, peer, method: call.getPath() }, 'policy call failed');
  return { code: status.INTERNAL, details: 'the policy server failed; its log has the error' };
}
