import { RPC_CODES } from '../../envoy/rpc-code.js';
import type { RpcCode } from '../client/policy-status.js';

/** The number of a code on the wire. */
export function rpcCodeNumber(code: RpcCode): number {
  return RPC_CODES.indexOf(code);
}
