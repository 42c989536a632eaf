import { errorText } from '../../base/error-text.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import type { CheckRequest__Output as CheckRequestOutput } from '../../generated/policy/mesh/policy/v1/CheckRequest.js';
import type { CheckResponse__Output as CheckResponseOutput } from '../../generated/policy/mesh/policy/v1/CheckResponse.js';
import type { ReportRequest__Output as ReportRequestOutput } from '../../generated/policy/mesh/policy/v1/ReportRequest.js';
import type { CheckRequest, CheckResponse, ReportRequest } from '../client/policy-transport.js';
import { createGlobalWords } from './attribute-words.js';
import { buildCheckResponse, readCheckResponse } from './check-response-message.js';
import { PolicyWireError } from './policy-wire-error.js';
import {
  buildCheckRequest,
  buildReportRequest,
  checkReportCount,
  readCheckRequest,
  readReportRequest,
} from './request-messages.js';

/** Calls of the client library as bytes of `mesh.policy.v1`, and back. Decoding throws PolicyWireError. */
export interface PolicyCodec {
  encodeCheckRequest(request: CheckRequest): Buffer;
  decodeCheckRequest(bytes: Uint8Array): CheckRequest;
  encodeCheckResponse(response: CheckResponse): Buffer;
  decodeCheckResponse(bytes: Uint8Array): CheckResponse;
  encodeReportRequest(request: ReportRequest): Buffer;
  decodeReportRequest(bytes: Uint8Array): ReportRequest;
}

export interface PolicyCodecOptions {
  /** The first words of the protocol alone, for a server that knows no more. Default: all. */
  readonly globalWordCount?: number;
}

const MESSAGES = 'mesh.policy.v1';
const PLAIN = { longs: String, enums: String, bytes: Buffer };

/** @param protos with the messages of `loadPolicyProtos` */
export function createPolicyCodec(protos: ProtoRegistry, options: PolicyCodecOptions = {}): PolicyCodec {
  const global = createGlobalWords(options.globalWordCount);

  const encoder = (name: string): ((message: object) => Buffer) => {
    const type = protos.type(`${MESSAGES}.${name}`);
    // Built messages have 64-bit numbers as texts and enums as numbers, which are encoded without conversion.
    return (message) => type.encode(message as Record<string, unknown>).finish() as Buffer;
  };
  const decoder = <Output>(
    name: string,
    checkSize: (bytes: Uint8Array) => void = () => {},
  ): ((bytes: Uint8Array) => Output) => {
    const type = protos.type(`${MESSAGES}.${name}`);
    return (bytes) => {
      try {
        checkSize(bytes);
        return type.toObject(type.decode(bytes), PLAIN) as Output;
      } catch (cause) {
        if (cause instanceof PolicyWireError) throw cause;
        const reason = errorText(cause);
        throw new PolicyWireError(name, `cannot be decoded: ${reason}`, { cause });
      }
    };
  };

  const writeCheckRequest = encoder('CheckRequest');
  const writeCheckResponse = encoder('CheckResponse');
  const writeReportRequest = encoder('ReportRequest');
  const parseCheckRequest = decoder<CheckRequestOutput>('CheckRequest');
  const parseCheckResponse = decoder<CheckResponseOutput>('CheckResponse');
  const parseReportRequest = decoder<ReportRequestOutput>('ReportRequest', checkReportCount);

  return {
    encodeCheckRequest: (request) => writeCheckRequest(buildCheckRequest(request, global)),
    decodeCheckRequest: (bytes) => readCheckRequest(parseCheckRequest(bytes)),
    encodeCheckResponse: (response) => writeCheckResponse(buildCheckResponse(response)),
    decodeCheckResponse: (bytes) => readCheckResponse(parseCheckResponse(bytes)),
    encodeReportRequest: (request) => writeReportRequest(buildReportRequest(request, global)),
    decodeReportRequest: (bytes) => readReportRequest(parseReportRequest(bytes)),
  };
}
