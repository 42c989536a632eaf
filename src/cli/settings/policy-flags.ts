import type { PolicyFlags } from '../../bootstrap/options.js';
import { text } from '../values/scalar-types.js';
import { dnsName, listenAddress, optionalNamespaceName, remoteAddress } from '../values/text-types.js';
import { discoveryFlags } from './discovery-flags.js';
import type { FlagTable } from './setting.js';

/** The flags of `navigator-policy serve`. Those that `discovery` has as well have the same names and defaults. */
export const policyFlags: FlagTable<PolicyFlags> = {
  discoveryAddress: {
    name: 'discoveryAddress',
    type: remoteAddress,
    default: 'meshd.mesh-system.svc:15010',
    meaning: 'host:port of the discovery server to subscribe to, without TLS',
  },
  domain: { name: 'domain', type: dnsName, default: discoveryFlags.domain.default, meaning: 'DNS domain suffix' },
  monitoringAddr: {
    name: 'monitoringAddr',
    type: listenAddress,
    default: discoveryFlags.monitoringAddr.default,
    meaning: 'HTTP address for /ready, /metrics, /version and /debug',
  },
  namespace: {
    name: 'namespace',
    shorthand: 'n',
    type: optionalNamespaceName,
    default: discoveryFlags.namespace.default,
    meaning: 'Namespace where this server resides; if not set, POD_NAMESPACE is used',
  },
  policyAddr: {
    name: 'policyAddr',
    type: listenAddress,
    default: discoveryFlags.policyAddr.default,
    meaning: 'Address for checks and reports of proxies, and of other policy servers',
  },
  policyConfigFile: {
    name: 'policyConfig',
    type: text,
    default: discoveryFlags.policyConfigFile.default,
    meaning: discoveryFlags.policyConfigFile.meaning,
  },
};
