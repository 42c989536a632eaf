import type { Filter } from '../generated/envoy/config/listener/v3/Filter.js';
import type { Policy } from '../generated/envoy/config/rbac/v3/Policy.js';
import type { RBAC as Rules } from '../generated/envoy/config/rbac/v3/RBAC.js';
import type { RBAC as HttpRbac } from '../generated/envoy/extensions/filters/http/rbac/v3/RBAC.js';
import type { HttpFilter } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { RBAC as NetworkRbac } from '../generated/envoy/extensions/filters/network/rbac/v3/RBAC.js';
import type { MessageEncoder } from './message-encoder.js';

/** Rules of one filter, by name. `audit` only records whether one of them matches. */
export interface RbacRules {
  readonly action: 'allow' | 'deny' | 'audit';
  readonly policies: Readonly<Record<string, Policy>>;
}

const HTTP_RBAC = 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC';
const NETWORK_RBAC = 'type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC';
/** Of the counters of network filters. */
const STAT_PREFIX = 'tcp.';

/** Decides on requests. Envoy answers a rejected request with 403 and the body `RBAC: access denied`. */
export function buildHttpRbac(encoder: MessageEncoder, rules: RbacRules): HttpFilter {
  const config: HttpRbac = fieldsOf(rules);
  return { name: 'envoy.filters.http.rbac', typedConfig: encoder.packAny(HTTP_RBAC, config) };
}

/** Decides on connections; Envoy closes a rejected one. */
export function buildNetworkRbac(encoder: MessageEncoder, rules: RbacRules): Filter {
  const config: NetworkRbac = { ...fieldsOf(rules), statPrefix: STAT_PREFIX };
  return { name: 'envoy.filters.network.rbac', typedConfig: encoder.packAny(NETWORK_RBAC, config) };
}

function fieldsOf({ action, policies }: RbacRules): Pick<HttpRbac & NetworkRbac, 'rules' | 'shadowRules'> {
  const rules: Rules = { action: action === 'deny' ? 'DENY' : 'ALLOW', policies };
  return action === 'audit' ? { shadowRules: rules } : { rules };
}
