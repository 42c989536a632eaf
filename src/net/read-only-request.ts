import type { ServerDuplexStream } from '@grpc/grpc-js';

/** The call does not have exactly one request message. */
export class RequestStreamError extends Error {
  override readonly name = 'RequestStreamError';
  readonly code: 'CANCELLED' | 'UNIMPLEMENTED';

  constructor(code: RequestStreamError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the only request of a unary call that is served as a stream. Serving it as a stream lets the server identify
 * the caller before it reads the request.
 *
 * @throws RequestStreamError for no message, several messages, or a call that has ended
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
    const onClose = (): void => fail('CANCELLED', 'the caller has ended the call');
    call.once('cancelled', onClose);
    call.once('close', onClose);
    if (call.cancelled) onClose();
  });
}
