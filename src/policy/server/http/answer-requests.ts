import { type AnswerRequest, errorResponse, type RequestConnection } from '../../../net/guard/request-connections.js';
import { PolicyTransportError } from '../../client/policy-transport.js';
import { CallConfigError } from '../call-configs.js';
import { type Caller, CallerRefusedError, peerText } from '../callers/caller.js';
import { anonymous, type ConnectionCallerReader } from '../callers/caller-reader.js';
import { CheckHeadError } from './check-head-error.js';
import type { HttpCheckService } from './http-check-service.js';

/** A caller, identified once for each connection. */
interface KnownCaller {
  readonly caller: Caller;
  readonly peer: string;
}

/** Answers Checks over HTTP/1.1. Envoy's fail policy decides about a Check with an error as its answer. */
export function createAnswerRequests(
  { check }: HttpCheckService,
  callerOf: ConnectionCallerReader = anonymous,
): AnswerRequest {
  const known = new WeakMap<RequestConnection, KnownCaller>();
  const callerOn = (connection: RequestConnection): KnownCaller => {
    const remembered = known.get(connection);
    if (remembered !== undefined) return remembered;
    const caller = callerOf(connection.socket);
    const identified = { caller, peer: peerText(caller, connection.socket.remoteAddress ?? '') };
    known.set(connection, identified);
    return identified;
  };
  return (head, connection) => {
    try {
      const { caller, peer } = callerOn(connection);
      const answer = check(head, caller, peer);
      return typeof answer === 'string' ? answer : answer.catch(failure);
    } catch (error) {
      return failure(error);
    }
  };
}

/** Callers get no internal details; they are in our log. Envoy repeats a call that gets 503, as it does with UNAVAILABLE. */
function failure(error: unknown): string {
  if (error instanceof CallerRefusedError || error instanceof CallConfigError || error instanceof CheckHeadError) {
    return errorResponse(error.message);
  }
  if (error instanceof PolicyTransportError) {
    return errorResponse(error.message, error.code === 'UNAVAILABLE' ? '503 Service Unavailable' : undefined);
  }
  return errorResponse('internal error');
}
