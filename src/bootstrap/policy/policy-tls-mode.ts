import type { Options } from '../options.js';
import { readsCluster } from '../read-cluster.js';

/** How callers connect to the policy server in this process. */
export interface PolicyTlsMode {
  /** Undefined: there are no certificates, and the listener accepts plaintext only. */
  readonly listener: 'permissive' | 'strict' | undefined;
  /** Whether proxies with certificates are configured to use TLS. */
  readonly proxies: boolean;
}

/**
 * Resolves NAV_POLICY_TLS. `auto` is strict where a cluster is read, because injected proxies have certificates. It is
 * permissive elsewhere, and where no proxy gets a certificate (XDS_AUTH=false).
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
