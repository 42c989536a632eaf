import type { NativeValue } from './native-value.js';

/** Why a part of an expression has no value. It is a result and not an exception, because rules fail at many requests. */
export class Failure {
  readonly type = 'error';
  readonly reason: 'absent' | 'failed';
  readonly message: string;

  constructor(message: string, reason: 'absent' | 'failed' = 'failed') {
    this.message = message;
    this.reason = reason;
  }
}

export type Outcome = NativeValue | Failure;
