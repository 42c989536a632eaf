import {
  type CallOptions,
  type CheckRequest,
  type CheckResponse,
  type PolicyTransport,
  PolicyTransportError,
  type PreconditionResult,
  type ReportRequest,
} from '../../src/policy/client/policy-transport.js';

/** A call that waits for the test to answer it. */
export interface PendingCall<Request, Answer> {
  readonly request: Request;
  readonly options: CallOptions;
  answer(answer: Answer): void;
  fail(error: unknown): void;
}

/** A policy server that answers when the test says so. */
export interface FakePolicyServer extends PolicyTransport {
  readonly checks: PendingCall<CheckRequest, CheckResponse>[];
  readonly reports: PendingCall<ReportRequest, void>[];
}

export function createFakePolicyServer(): FakePolicyServer {
  const checks: PendingCall<CheckRequest, CheckResponse>[] = [];
  const reports: PendingCall<ReportRequest, void>[] = [];
  return {
    checks,
    reports,
    check: (request, options) => enqueue(checks, request, options),
    report: (request, options) => enqueue(reports, request, options),
  };
}

function enqueue<Request, Answer>(
  calls: PendingCall<Request, Answer>[],
  request: Request,
  options: CallOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    calls.push({ request, options, answer: resolve, fail: reject });
  });
}

/** A precondition that allows, cached forever for all requests unless told otherwise. */
export function allow(fields: Partial<PreconditionResult> = {}): PreconditionResult {
  return { status: { code: 'OK', message: '' }, validUseCount: -1, referencedAttributes: [], ...fields };
}

export function deny(message: string, fields: Partial<PreconditionResult> = {}): PreconditionResult {
  return allow({ status: { code: 'PERMISSION_DENIED', message }, ...fields });
}

export function sendError(message = 'connection refused'): PolicyTransportError {
  return new PolicyTransportError('send', message);
}

/** Lets promises that are settled already run their continuations. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
