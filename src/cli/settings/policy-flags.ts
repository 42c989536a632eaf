import type { PolicyFlags } from '../../bootstrap/options.js';
import { oneOf, text } from '../values/scalar-types.js';
import { dnsName, listenAddress, optionalNamespaceName, remoteAddress } from '../values/text-types.js';
import { discoveryFlags, LOOPBACK_OUTSIDE } from './discovery-flags.js';
import type { FlagTable } from './setting.js';

/** The flags of `navigator-policy serve`. Flags that `discovery` has too have the same names and defaults. */
export const policyFlags: FlagTable<PolicyFlags> = {
  discoveryAddress: {
    name: 'discoveryAddress',
    type: remoteAddress,
    default: 'meshd.mesh-system.svc:15012',
    meaning: 'host:port of the discovery server to subscribe to',
  },
  discoveryClientCertFile: {
    name: 'discoveryClientCert',
    type: text,
    default: '',
    meaning:
      'PEM file with a client certificate chain, which authenticates this server to the discovery server instead of a token; needs --discoveryClientKey',
  },
  discoveryClientKeyFile: {
    name: 'discoveryClientKey',
    type: text,
    default: '',
    meaning: 'PEM file with the key of --discoveryClientCert',
  },
  discoveryRootCertFile: {
    name: 'discoveryRootCert',
    type: text,
    default: './var/run/secrets/mesh/root-cert.pem',
    meaning:
      'PEM file with the root certificates that verify the discovery server; empty: the connection is plaintext, without token or certificate',
  },
  discoveryServerName: {
    name: 'discoveryServerName',
    type: text,
    default: '',
    meaning: "Required name in the discovery server's certificate; if not set, the host of --discoveryAddress",
  },
  discoveryTokenFile: {
    name: 'discoveryTokenFile',
    type: text,
    default: './var/run/secrets/tokens/mesh-token',
    meaning:
      'File with the token that authenticates this server to the discovery server; not used with --discoveryClientCert or in plaintext; empty: no token is sent',
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
    meaning: 'Namespace of this server; if not set, POD_NAMESPACE is used',
  },
  policyAddr: {
    name: 'policyAddr',
    type: listenAddress,
    default: discoveryFlags.policyAddr.default,
    meaning: `Address for checks and reports of proxies and of other policy servers. ${LOOPBACK_OUTSIDE}`,
  },
  policyTls: {
    name: 'policyTls',
    type: oneOf(['plaintext', 'permissive', 'strict']),
    default: 'permissive',
    meaning:
      'Mutual TLS with callers, by a certificate that the discovery server issues; needs --discoveryRootCert. strict: plaintext connections are closed. permissive: TLS and plaintext on one port. plaintext: no certificate is requested',
  },
  policyConfigFile: {
    name: 'policyConfig',
    type: text,
    default: discoveryFlags.policyConfigFile.default,
    meaning: discoveryFlags.policyConfigFile.meaning,
  },
};
