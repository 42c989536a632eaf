import { kindOfKey, type PushRequest } from '../../../model/push-request.js';

/** Kinds that neither services nor policies are made of; endpoints and workloads are in no client configuration. A Namespace says what may be bound to its services. */
const IRRELEVANT_KINDS: ReadonlySet<string> = new Set([
  'Endpoints',
  'EndpointSlice',
  'Pod',
  'Node',
  'WorkloadEntry',
  'AuthorizationPolicy',
  'DestinationRule',
  'EnvoyFilter',
  'Gateway',
  'PeerAuthentication',
  'RequestAuthentication',
  'Sidecar',
  'VirtualService',
]);

/** Whether services, what is bound to them, or the mesh config changed. */
export function serviceConfigsAffectedBy({ full, changed }: PushRequest): boolean {
  if (!full) return false;
  if (changed === 'everything') return true;
  for (const key of changed) if (!IRRELEVANT_KINDS.has(kindOfKey(key))) return true;
  return false;
}

/** The mesh config is in them, what a proxy says of itself once, and those of its labels that QuotaSpecBindings name. */
export function httpClientConfigsAffectedBy({ full, changed }: PushRequest): boolean {
  if (!full || changed === 'everything') return full;
  for (const key of changed) if (kindOfKey(key) === 'QuotaSpecBinding') return true;
  return false;
}
