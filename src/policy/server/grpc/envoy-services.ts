import { type ServerReadableStream, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import type { GrpcService } from '../../../net/grpc-service.js';
import { rawMethod } from '../../../net/raw-method.js';
import type { Logger } from '../../../telemetry/logger.js';
import { PolicyTransportError } from '../../client/policy-transport.js';
import { rpcCodeNumber } from '../../wire/rpc-code-number.js';
import { CallConfigError } from '../call-configs.js';
import { type CheckCall, readCheckCall } from '../check-call.js';
import { EnvoyMessageError } from '../envoy-codec.js';
import type { PolicyServer } from '../policy-server.js';

type UnaryCall = Pick<ServerUnaryCall<Buffer, Buffer>, 'metadata' | 'request'>;

const NO_BYTES = Buffer.alloc(0);

/** `envoy.service.auth.v3.Authorization`: the Checks of Envoy's filters. */
export function createAuthorizationService({ checks }: Pick<PolicyServer, 'checks'>): GrpcService {
  const check = (call: UnaryCall, callback: sendUnaryData<Buffer>): void => {
    checks.check(call.request, checkCallOf(call)).then(
      (answer) => callback(null, answer),
      (error: unknown) => callback(grpcError(error)),
    );
  };
  return {
    name: 'envoy.service.auth.v3.Authorization',
    addTo: (server) => {
      server.addService({ Check: rawMethod('/envoy.service.auth.v3.Authorization/Check') }, { Check: check });
    },
  };
}

/** `envoy.service.accesslog.v3.AccessLogService`: the entries of Envoy's access logs. */
export function createAccessLogService(
  { openLogStream }: Pick<PolicyServer, 'openLogStream'>,
  logger: Logger,
): GrpcService {
  const ends = new Set<() => void>();

  const stream = (call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    const end = (): void => {
      if (ends.delete(end)) callback(null, NO_BYTES);
    };
    ends.add(end);
    const log = openLogStream();
    const takeAll = async (): Promise<void> => {
      for await (const bytes of call) await log.take(bytes as Buffer);
    };
    takeAll().then(end, (error: unknown) => {
      // The proxy has gone, or was cut off: it sends what it has left on another stream.
      logger.debug({ err: error, peer: call.getPeer() }, 'Access log stream ended');
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

function checkCallOf({ metadata }: Pick<UnaryCall, 'metadata'>): CheckCall {
  return readCheckCall((key) => {
    const [value] = metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  });
}

/** Says nothing of our own insides to whoever calls: that is in our log. */
function grpcError(error: unknown): { readonly code: status; readonly details: string } {
  if (error instanceof EnvoyMessageError) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof CallConfigError) return { code: status.INTERNAL, details: error.message };
  if (error instanceof PolicyTransportError) return { code: rpcCodeNumber(error.code), details: error.message };
  return { code: status.INTERNAL, details: 'internal error' };
}
