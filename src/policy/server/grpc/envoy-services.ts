import { type ServerReadableStream, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { rpcCodeNumber } from '../../../base/rpc-code.js';
import type { GrpcService } from '../../../net/grpc-service.js';
import { rawMethod } from '../../../net/raw-method.js';
import type { Logger } from '../../../telemetry/logger.js';
import { PolicyTransportError } from '../../client/policy-transport.js';
import { CallConfigError } from '../call-configs.js';
import { type Caller, CallerRefusedError, peerText } from '../callers/caller.js';
import { anonymous, type CallerReader } from '../callers/caller-reader.js';
import { type CheckCall, readCheckCall } from '../check-call.js';
import { EnvoyMessageError } from '../envoy-codec.js';
import type { PolicyServer } from '../policy-server.js';
import type { LogStream } from '../reports/log-service.js';

type UnaryCall = Pick<ServerUnaryCall<Buffer, Buffer>, 'metadata' | 'request' | 'getPeer'>;

const NO_BYTES = Buffer.alloc(0);

/** `envoy.service.auth.v3.Authorization`: the Checks of Envoy's filters. */
export function createAuthorizationService(
  { checks }: Pick<PolicyServer, 'checks'>,
  callerOf: CallerReader = anonymous,
): GrpcService {
  const check = (call: UnaryCall, callback: sendUnaryData<Buffer>): void => {
    let checkCall: CheckCall;
    try {
      checkCall = checkCallOf(call, callerOf(call));
    } catch (error) {
      callback(grpcError(error));
      return;
    }
    checks.check(call.request, checkCall).then(
      (answer) => callback(null, answer),
      (error: unknown) => callback(grpcError(error)),
    );
  };
  return {
    name: 'envoy.service.auth.v3.Authorization',
    requestClasses: { '/envoy.service.auth.v3.Authorization/Check': 'check' },
    addTo: (server) => {
      server.addService({ Check: rawMethod('/envoy.service.auth.v3.Authorization/Check') }, { Check: check });
    },
  };
}

/** `envoy.service.accesslog.v3.AccessLogService`: the entries of Envoy's access logs. */
export function createAccessLogService(
  { openLogStream }: Pick<PolicyServer, 'openLogStream'>,
  logger: Logger,
  callerOf: CallerReader = anonymous,
): GrpcService {
  const ends = new Set<() => void>();

  const stream = (call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    const end = (): void => {
      if (ends.delete(end)) callback(null, NO_BYTES);
    };
    let log: LogStream;
    try {
      log = openLogStream(callerOf(call));
    } catch (error) {
      callback(grpcError(error));
      return;
    }
    ends.add(end);
    const takeAll = async (): Promise<void> => {
      for await (const bytes of call) await log.take(bytes as Buffer);
    };
    takeAll().then(end, (error: unknown) => {
      if (error instanceof CallerRefusedError && ends.delete(end)) {
        callback(grpcError(error));
        return;
      }
      // The proxy disconnected. It sends the remaining entries on another stream.
      logger.debug({ err: error, peer: call.getPeer() }, 'access log stream ended');
      ends.delete(end);
    });
  };
  return {
    name: 'envoy.service.accesslog.v3.AccessLogService',
    addTo: (server) => {
      const method = rawMethod('/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs');
      server.addService({ StreamAccessLogs: { ...method, requestStream: true } }, { StreamAccessLogs: stream });
    },
    endStreams: () => {
      for (const end of [...ends]) end();
    },
  };
}

function checkCallOf(call: Omit<UnaryCall, 'request'>, caller: Caller): CheckCall {
  const text = (key: string): string | undefined => {
    const [value] = call.metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  };
  return readCheckCall(text, caller, peerOf(call, caller));
}

function peerOf(call: Pick<UnaryCall, 'getPeer'>, caller: Caller): string {
  return peerText(caller, call.getPeer().replace(/:\d+$/, ''));
}

/** Callers get no internal details; they are in our log. */
function grpcError(error: unknown): { readonly code: status; readonly details: string } {
  if (error instanceof CallerRefusedError) return { code: rpcCodeNumber(error.code), details: error.message };
  if (error instanceof EnvoyMessageError) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof CallConfigError) return { code: status.INTERNAL, details: error.message };
  if (error instanceof PolicyTransportError) return { code: rpcCodeNumber(error.code), details: error.message };
  return { code: status.INTERNAL, details: 'internal error' };
}
