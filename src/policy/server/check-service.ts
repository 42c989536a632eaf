import { SERVICE_EXTENSION } from '../wire/call-metadata.js';
import { checkedRequestOf, isTcpCheck } from './adapter/check-facts.js';
import { checkMetadataStruct } from './adapter/check-metadata.js';
import { readCheckOutline } from './adapter/check-outline.js';
import { httpCheckResponse, tcpCheckResponse } from './adapter/check-response.js';
import type { AnswerCheck } from './answer-checks.js';
import { checkMetadataOf } from './answer-checks.js';
import { createBoundedMemo } from './bounded-memo.js';
import type { CheckCall } from './check-call.js';
import type { CheckEnvironment, Decided } from './decide.js';
import { decideHttp } from './decide-http.js';
import { decideTcp } from './decide-tcp.js';
import { type EnvoyCodec, EnvoyMessageError } from './envoy-codec.js';
import { shedVerdict, verdictOf } from './request-verdict.js';
import { type ShedDecision, type ShedDecisions, shedMetadataOf } from './shed-decisions.js';

/** Answers the Checks that Envoy sends over gRPC. */
export interface CheckService {
  /**
   * @param bytes an envoy.service.auth.v3.CheckRequest
   * @returns an envoy.service.auth.v3.CheckResponse
   * @throws CallerRefusedError, EnvoyMessageError, CallConfigError: see `AnswerCheck`
   */
  check(bytes: Uint8Array, call: CheckCall): Promise<Buffer>;
}

export interface CheckServiceOptions {
  readonly codec: EnvoyCodec;
  readonly environment: CheckEnvironment;
  readonly answerCheck: AnswerCheck;
  readonly shed: ShedDecisions;
  /**
   * Makes ids of connections that their calls do not name: `<uuid>-<n>`
   * (docs/reference/policy-client.md#tcp-attributes).
   */
  readonly newConnectionId: () => string;
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
/** A few answers for each service and configuration: nearly all answers of shed checks repeat earlier bytes. */
const SHED_MEMO = { entries: 4096, maxKeyLength: 8192, characters: 4_000_000 };

export function createCheckService(options: CheckServiceOptions): CheckService {
  const { codec, environment, answerCheck, newConnectionId } = options;
  const { clock } = environment;

  const decide = (bytes: Uint8Array, call: CheckCall): Decided | Promise<Decided> => {
    const message = codec.decodeCheckRequest(bytes);
    if (isTcpCheck(message)) return decideTcp(environment, message, call, newConnectionId);
    const nowNs = BigInt(clock.now().getTime()) * NANOSECONDS_PER_MILLISECOND;
    return decideHttp(environment, checkedRequestOf(message, nowNs), call);
  };
  const answer = (decided: Decided): Buffer => {
    const { decision, context } = decided;
    const { status } = decision;
    const metadata = checkMetadataStruct(checkMetadataOf(decided));
    return codec.encodeCheckResponse(
      context.protocol === 'tcp'
        ? tcpCheckResponse(status, metadata)
        : httpCheckResponse(status, verdictOf(decision, context.config.claims.side), metadata),
    );
  };

  const encodeShed = createBoundedMemo(SHED_MEMO, (key) => {
    const shed = JSON.parse(key) as ShedDecision;
    const metadata = checkMetadataStruct(shedMetadataOf(shed));
    const { status, asker } = shed;
    return codec.encodeCheckResponse(
      asker === 'tcp'
        ? tcpCheckResponse(status, metadata)
        : httpCheckResponse(status, shedVerdict(status, asker), metadata),
    );
  });
  const shed = (bytes: Uint8Array, call: CheckCall): Buffer => {
    const { isTcp, extension } = readOutline(bytes);
    const decided = isTcp ? options.shed.tcp(call) : options.shed.http(call, extension || undefined);
    return encodeShed(JSON.stringify(decided));
  };

  return {
    check: async (bytes, call) =>
      answerCheck({
        peer: call.peer ?? '',
        decide: () => decide(bytes, call),
        answer,
        shed: () => shed(bytes, call),
      }),
  };
}

/** Reads only the host of the service from the message. */
function readOutline(bytes: Uint8Array) {
  try {
    return readCheckOutline(bytes, SERVICE_EXTENSION);
  } catch (cause) {
    throw new EnvoyMessageError('envoy.service.auth.v3.CheckRequest', { cause });
  }
}
