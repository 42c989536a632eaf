import type { ServerDuplexStream } from '@grpc/grpc-js';

/** A request did not come as the one message of a unary call. */
export class RequestStreamError extends Error {
  override readonly name = 'RequestStreamError';
  readonly code: 'CANCELLED' | 'UNIMPLEMENTED';

  constructor(code: RequestStreamError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the one request of a unary call that is served as a stream, so that nothing is read of it before its caller is
 * known.
 *
 * @throws RequestStreamError when there is no message, or more than one, or the call has ended
 */
export function readOnlyRequest(call: ServerDuplexStream<Buffer, unknown>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let request: Buffer | undefined;
    const fail = (code: RequestStreamError['code'], message: string): void =>
      reject(new RequestStreamError(code, message));
    call.on('data', (message: Buffer) => {
      if (request === undefined) request = message;
      else fail('UNIMPLEMENTED', 'the call has more than one request; send one');
    });
    call.once('end', () => {
      if (request === undefined) fail('UNIMPLEMENTED', 'the call has no request; send one');
      else resolve(request);
    });
    const onClose = (): void => fail('CANCELLED', 'the caller does not wait any more');
    call.once('cancelled', onClose);
    call.once('close', onClose);
    if (call.cancelled) onClose();
  });
}
