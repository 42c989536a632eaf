import type { RpcCode } from '../../base/rpc-code.js';

/** A call of an adapter that has no answer. The message has nothing of the call, which may hold secrets. */
export class AdapterError extends Error {
  /** UNAVAILABLE also for calls that were not sent. */
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AdapterError';
    this.code = code;
  }
}
