import type { Options } from '../options.js';
import { readsCluster } from '../read-cluster.js';

/** How the policy server in this process is called. */
export interface PolicyTlsMode {
  /** Undefined: there are no certificates, and the listener takes plaintext alone. */
  readonly listener: 'permissive' | 'strict' | undefined;
  /** Whether proxies with certificates are told to use TLS. */
  readonly proxies: boolean;
}

/**
 * Decides NAV_POLICY_TLS. `auto` is strict where a cluster is read, whose proxies are injected with certificates, and
 * permissive elsewhere and where no proxy gets a certificate (XDS_AUTH=false).
 */
export function policyTlsMode(options: Options): PolicyTlsMode {
  const { enableCaServer, navPolicyTls, xdsAuth } = options.environment;
  if (!enableCaServer) return { listener: undefined, proxies: false };
  switch (navPolicyTls) {
    case 'plaintext':
      return { listener: 'permissive', proxies: false };
    case 'permissive':
    case 'strict':
      return { listener: navPolicyTls, proxies: true };
    case 'auto':
      return { listener: readsCluster(options) && xdsAuth ? 'strict' : 'permissive', proxies: true };
  }
}
