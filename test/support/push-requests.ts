import type { PushRequest } from '../../src/model/push-request.js';

/** A push request in which everything not named is empty. */
export function pushRequest(fields: Partial<PushRequest> = {}): PushRequest {
  return {
    full: true,
    changed: new Set(),
    endpoints: new Set(),
    addresses: new Set(),
    reasons: ['config'],
    startMs: 0,
    ...fields,
  };
}
