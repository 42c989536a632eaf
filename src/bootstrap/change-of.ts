import type { ObjectKey } from '../config/object.js';
import { MESH_CONFIG_KEY, type PushRequest } from '../model/push-request.js';

/** A push request for a change of one object. */
export function changeOf(key: ObjectKey): PushRequest {
  return {
    full: true,
    changed: key === MESH_CONFIG_KEY ? 'everything' : new Set([key]),
    endpoints: new Set(),
    addresses: new Set(),
    reasons: [],
    startMs: 0,
  };
}
