import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { uriNamesOf } from '../../ca/authentication/spiffe/certificate-names.js';
import { createChangeListeners } from '../../ca/change-listeners.js';
import type { ServerCertificateSource } from '../../ca/server-certificate/server-certificate-source.js';
import { serverNames } from '../../ca/server-certificate/server-names.js';
import { createSignedCertificate } from '../../ca/server-certificate/signed-certificate.js';
import { createTlsMaterialSource } from '../../ca/server-certificate/tls-material-source.js';
import { formatSpiffeId, parseSpiffeId, type WorkloadIdentity } from '../../model/spiffe-id.js';
import type { TlsMaterialSource } from '../../net/tls-material.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Trust } from './open-trust.js';

/** The service account in the control plane's certificate for its policy server. */
export const CONTROL_PLANE_ACCOUNT = 'meshd';

export interface PolicyCredentialsOptions {
  /** Host of the discovery address of proxies, at the time of the call; may be empty. */
  readonly discoveryHost: () => string;
  /** MESHD_CUSTOM_HOST; may be empty. */
  readonly customHost: string;
  readonly namespace: string;
  /** REVISION */
  readonly revision: string;
  readonly domain: string;
  /** The mesh's trust domain, at the time of the call. */
  readonly trustDomain: () => string;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
}

/** The certificate of the policy server in this process, and the identification of its callers. */
export interface PolicyCredentials {
  /** Empty before `open`. */
  readonly material: TlsMaterialSource;
  /** The workload of this mesh in a verified certificate. */
  identify(certificate: X509Certificate): WorkloadIdentity | undefined;
  /** Settles when there is a certificate, or after the first attempt. Does nothing without an authority. */
  open(trust: Pick<Trust, 'authority' | 'trustDomains'>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The certificate comes from our own authority, even if the secured listener has another one: proxies verify it with
 * the root certificates that they get with their own. It names the control plane's service account, which proxies
 * require, and its DNS names.
 */
export function createPolicyCredentials(options: PolicyCredentialsOptions): PolicyCredentials {
  const listeners = createChangeListeners();
  let trust: Pick<Trust, 'authority' | 'trustDomains'> | undefined;
  let certificate: ServerCertificateSource | undefined;
  let material: TlsMaterialSource | undefined;

  return {
    material: { current: () => material?.current(), onChange: listeners.add },
    identify: (leaf) => {
      const uris = uriNamesOf(leaf);
      const identity = uris?.length === 1 ? parseSpiffeId(uris[0] ?? '') : undefined;
      return identity !== undefined && trust?.trustDomains.isOwn(identity.trustDomain) ? identity : undefined;
    },
    open: async (opened) => {
      const { authority } = opened;
      if (authority === undefined) return;
      const { namespace, clock, logger } = options;
      const identity = { trustDomain: options.trustDomain(), namespace, serviceAccount: CONTROL_PLANE_ACCOUNT };
      trust = opened;
      certificate = createSignedCertificate({
        authority,
        names: [
          { type: 'uri', value: formatSpiffeId(identity) },
          ...serverNames({ ...options, discoveryHost: options.discoveryHost() }),
        ],
        clock,
        logger,
        random: Math.random,
      });
      material = createTlsMaterialSource(certificate, {
        current: () => authority.bundle().roots,
        onChange: (listener) => authority.onChange(listener),
      });
      material.onChange(listeners.tell);
      await certificate.start();
      listeners.tell();
    },
    stop: async () => {
      await certificate?.stop();
    },
  };
}
