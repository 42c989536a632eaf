import { isRpcCode } from '../../base/rpc-code.js';
import { validateDuration } from '../duration-rules.js';
import type { Violation } from '../violation.js';
import type { FaultSpec } from './virtual-service-http.js';

export function* validateFault(path: string, fault: FaultSpec | undefined): Iterable<Violation> {
  if (fault?.delay !== undefined) yield* validateDelay(`${path}.delay`, fault.delay);
  if (fault?.abort !== undefined) yield* validateAbort(`${path}.abort`, fault.abort);
}

function* validateDelay(path: string, delay: NonNullable<FaultSpec['delay']>): Iterable<Violation> {
  const { fixedDelay, exponentialDelay, percent, percentage } = delay;
  if (exponentialDelay !== undefined) {
    const message = 'is not supported by Envoy';
    yield { path: `${path}.exponentialDelay`, value: exponentialDelay, message, remedy: 'use fixedDelay' };
  } else if (fixedDelay === undefined) {
    yield { path: `${path}.fixedDelay`, message: 'is missing', remedy: 'set for example 500ms' };
  }
  yield* validateDuration(`${path}.fixedDelay`, fixedDelay);
  if (percent !== undefined && percentage !== undefined) {
    yield { path, value: delay, message: 'sets percent and percentage together', remedy: 'keep percentage' };
  }
}

function* validateAbort(path: string, abort: NonNullable<FaultSpec['abort']>): Iterable<Violation> {
  const { httpStatus, grpcStatus, http2Error } = abort;
  if (http2Error !== undefined) {
    const message = 'is not supported by Envoy';
    yield { path: `${path}.http2Error`, value: http2Error, message, remedy: 'use httpStatus' };
  }
  if (httpStatus !== undefined && (httpStatus < 200 || httpStatus >= 600)) {
    const message = 'is not the status of a response';
    yield { path: `${path}.httpStatus`, value: httpStatus, message, remedy: 'use 200 to 599' };
  }
  if (grpcStatus !== undefined && !isRpcCode(grpcStatus)) {
    const message = 'is not a gRPC status';
    yield { path: `${path}.grpcStatus`, value: grpcStatus, message, remedy: 'use a name such as UNAVAILABLE' };
  }
}
