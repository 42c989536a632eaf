import type { RpcCode } from '../../base/rpc-code.js';

/** Outcome of a check or of a call: `OK` allows, everything else refuses with the message as its reason. */
export interface PolicyStatus {
  readonly code: RpcCode;
  readonly message: string;
}

export const OK_STATUS: PolicyStatus = { code: 'OK', message: '' };
