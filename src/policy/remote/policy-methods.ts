import { rawMethod } from '../../net/raw-method.js';

/**
 * The service `mesh.policy.v1.Policy`, in bytes: what is in them is read where an error can still be answered with what
 * is wrong, which the gRPC library's own decoding cannot.
 */
export const POLICY_METHODS = {
  Check: rawMethod('/mesh.policy.v1.Policy/Check'),
  Report: rawMethod('/mesh.policy.v1.Policy/Report'),
} as const;
