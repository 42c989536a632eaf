import type { PushRequest } from '../../../model/push-request.js';
import { kindsAffect } from '../../kinds-affect.js';

/** Whether services, what is bound to them, or the mesh config changed. */
export function serviceConfigsAffectedBy(request: PushRequest): boolean {
  return request.full && kindsAffect(request, 'serviceConfigs');
}

/** The mesh config is in them, what a proxy says of itself once, and those of its labels that QuotaSpecBindings name. */
export function httpClientConfigsAffectedBy(request: PushRequest): boolean {
  return request.full && kindsAffect(request, 'clientConfigs');
}
