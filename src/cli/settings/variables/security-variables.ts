import type { Environment } from '../../../bootstrap/environment.js';
import { bool, duration, integer, oneOf, text } from '../../values/scalar-types.js';
import { bundleEndpoints, serviceAccountNames } from '../../values/text-types.js';
import { addressRanges } from '../../values/traffic-types.js';
import type { VariableTable } from '../setting.js';

/** Variables of the certificate authority and of authentication (docs/reference/certificate-authority.md#settings). */
export const securityVariables = {
  audience: {
    name: 'AUDIENCE',
    type: text,
    default: '',
    meaning: 'Expected audience in tokens',
    whenUnset: "the audience of the server's own mounted token",
  },
  bypassOopMtlsSanVerification: {
    name: 'BYPASS_OOP_MTLS_SAN_VERIFICATION',
    type: bool,
    default: 'false',
    meaning:
      'If true, the certificate of a remote policy server (backend of --policyConfig) may be for another name than its address, and that of an adapter with mutual TLS for another name or identity; it must still be trusted',
  },
  caEnableJitterForRootCertRotator: {
    name: 'CA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR',
    type: bool,
    default: 'true',
    meaning: 'If true, the root cert rotator starts after a random backoff shorter than the check interval',
  },
  caSelfSignedCaCertTtlMs: {
    name: 'CA_SELF_SIGNED_CA_CERT_TTL',
    type: duration({ minNs: 1_000_000_000n }),
    default: '87600h0m0s',
    meaning: 'TTL of the self-signed CA root certificate',
  },
  caSelfSignedCaRsaKeySizeBits: {
    name: 'CA_SELF_SIGNED_CA_RSA_KEY_SIZE',
    type: integer({ min: 2048, max: 16384 }),
    default: '2048',
    meaning: 'RSA key size for self-signed CA certificates',
  },
  caSelfSignedRootCertCheckIntervalMs: {
    name: 'CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL',
    type: duration(),
    default: '1h0m0s',
    meaning:
      'Interval at which the expiry of the root certificate is checked, and the root rotated; zero or negative disables both; more than 10 minutes is recommended',
  },
  caSelfSignedRootCertGracePeriodPercentile: {
    name: 'CA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE',
    type: integer({ min: 0, max: 100 }),
    default: '20',
    meaning: 'Grace period percentile for the self-signed root cert',
  },
  defaultWorkloadCertTtlMs: {
    name: 'DEFAULT_WORKLOAD_CERT_TTL',
    type: duration({ minNs: 1_000_000_000n }),
    default: '24h0m0s',
    meaning: 'Default TTL of issued workload certificates, for requests without a positive TTL',
  },
  enableCaServer: {
    name: 'ENABLE_CA_SERVER',
    type: bool,
    default: 'true',
    meaning: 'If false, no CA server is created',
  },
  jwtPolicy: {
    name: 'JWT_POLICY',
    type: oneOf(['third-party-jwt', 'first-party-jwt']),
    default: 'third-party-jwt',
    meaning: 'JWT validation policy',
  },
  maxWorkloadCertTtlMs: {
    name: 'MAX_WORKLOAD_CERT_TTL',
    type: duration({ minNs: 1_000_000_000n }),
    default: '2160h0m0s',
    meaning: 'Maximum TTL of issued workload certificates',
  },
  meshdCustomHost: {
    name: 'MESHD_CUSTOM_HOST',
    type: text,
    default: '',
    meaning: 'Custom host name of the server for which the server cert is signed',
  },
  navAccountOutageLimitMs: {
    name: 'NAV_ACCOUNT_OUTAGE_LIMIT',
    type: duration({ minNs: 0n }),
    default: '24h0m0s',
    meaning:
      'Time for which certificates of the service accounts in the last list are accepted and renewed while an API server does not answer',
    addition: true,
  },
  navCheckServiceAccounts: {
    name: 'NAV_CHECK_SERVICE_ACCOUNTS',
    type: bool,
    default: 'true',
    meaning:
      'If true, certificates are accepted and renewed only while their service account exists in a cluster that this server reads; without a cluster it has no effect',
    addition: true,
  },
  navCertProvider: {
    name: 'NAV_CERT_PROVIDER',
    type: text,
    default: 'meshd',
    meaning: "Provider of the discovery server's DNS certificate",
  },
  navFailedCallersBurst: {
    name: 'NAV_FAILED_CALLERS_BURST',
    type: integer({ min: 1, max: 1_000_000 }),
    default: '200',
    meaning:
      'Maximum failed authentications of one address in a short time. Beyond it, callers of that address without a client certificate are rejected without verification',
    addition: true,
  },
  navFailedCallersRate: {
    name: 'NAV_FAILED_CALLERS_RATE',
    type: integer({ min: 1, max: 100_000 }),
    default: '10',
    meaning: 'Maximum failed authentications of one address per second, on average',
    addition: true,
  },
  navPolicyReaders: {
    name: 'NAV_POLICY_READERS',
    type: serviceAccountNames,
    default: 'navigator-policy',
    meaning:
      "Comma-separated service accounts in the control plane's namespace that may read the policies and configuration objects of all namespaces on the secured listener, as policy servers must; other accounts get those of their own namespace",
    addition: true,
  },
  navPolicyTls: {
    name: 'NAV_POLICY_TLS',
    type: oneOf(['auto', 'plaintext', 'permissive', 'strict']),
    default: 'auto',
    meaning:
      'Mutual TLS to the embedded policy server. strict: plaintext connections are closed. permissive: proxies with certificates use TLS, other proxies plaintext. plaintext: all proxies use plaintext; TLS is accepted. auto: strict with a cluster, permissive without a cluster',
    whenUnset: 'auto; without a certificate authority only plaintext',
    addition: true,
  },
  navSkipValidateTrustDomain: {
    name: 'NAV_SKIP_VALIDATE_TRUST_DOMAIN',
    type: bool,
    default: 'false',
    meaning: 'Skips validating that the peer is from the same trust domain when mTLS is enabled',
  },
  navTokenReviewConcurrency: {
    name: 'NAV_TOKEN_REVIEW_CONCURRENCY',
    type: integer({ min: 1, max: 10_000 }),
    default: '32',
    meaning:
      'Maximum tokens that API servers and token issuers verify at the same time. One address gets at most three quarters of them',
    addition: true,
  },
  navTokenReviewQueue: {
    name: 'NAV_TOKEN_REVIEW_QUEUE',
    type: integer({ min: 0, max: 1_000_000 }),
    default: '20000',
    meaning:
      'Maximum tokens that wait for verification. Addresses take turns. If the queue is full, the oldest token of the address with the most tokens is rejected',
    addition: true,
  },
  navTokenReviewWaitMs: {
    name: 'NAV_TOKEN_REVIEW_WAIT',
    type: duration({ minNs: 1_000_000n }),
    default: '10s',
    meaning: 'Maximum time that a token waits for verification; after it, the caller is rejected and must retry',
    addition: true,
  },
  rootCaDir: {
    name: 'ROOT_CA_DIR',
    type: text,
    default: './etc/cacerts',
    meaning: 'Location of a local or mounted CA root',
  },
  navAdapterCredentialsDir: {
    name: 'NAV_ADAPTER_CREDENTIALS_DIR',
    type: text,
    default: '/etc/navigator/adapters',
    meaning:
      'Folder with one folder for each namespace. Handlers of rules in a namespace other than the root namespace may name files below its folder only, for keys, certificates and tokens of adapters of your own',
    addition: true,
  },
  navEgressAllowed: {
    name: 'NAV_EGRESS_ALLOWED',
    type: addressRanges,
    default: '',
    meaning:
      'Comma-separated address ranges. The server may fetch keys and documents of token issuers and SPIFFE bundles from them, and handlers of rules may name them, although it refuses such addresses by default: addresses of this machine, link-local addresses, metadata services',
    whenUnset: 'none',
    addition: true,
  },
  navJwksMaxAgeMs: {
    name: 'NAV_JWKS_MAX_AGE',
    type: duration({ minNs: 1_000_000_000n }),
    default: '24h0m0s',
    meaning:
      'How long the last fetched keys of a JWT issuer count while its keys cannot be fetched; after it, its tokens are rejected',
    addition: true,
  },
  navJwksMaxNamespaceSources: {
    name: 'NAV_JWKS_MAX_NAMESPACE_SOURCES',
    type: integer({ min: 1, max: 100_000 }),
    default: '100',
    meaning:
      'Maximum URLs of keys that the RequestAuthentications of one namespace name. Keys of further URLs are not fetched, and their tokens are rejected',
    addition: true,
  },
  navJwksMaxSources: {
    name: 'NAV_JWKS_MAX_SOURCES',
    type: integer({ min: 1, max: 100_000 }),
    default: '2000',
    meaning:
      'Maximum URLs of keys that all RequestAuthentications name. Namespaces take turns; keys of further URLs are not fetched, and their tokens are rejected',
    addition: true,
  },
  navJwksRefreshIntervalMs: {
    name: 'NAV_JWKS_REFRESH_INTERVAL',
    type: duration({ minNs: 1_000_000_000n }),
    default: '5m0s',
    meaning: 'Interval at which the keys of each JWT issuer are fetched again, give or take 10 %',
    addition: true,
  },
  spiffeBundleEndpoints: {
    name: 'SPIFFE_BUNDLE_ENDPOINTS',
    type: bundleEndpoints,
    default: '',
    meaning:
      'Trust domains and their SPIFFE bundle endpoints, <trustdomain>|<endpoint> joined with ||. The fetched roots verify client certificates of that trust domain',
    whenUnset: 'no bundles are fetched',
  },
  tokenIssuer: {
    name: 'TOKEN_ISSUER',
    type: text,
    default: '',
    meaning: 'OIDC token issuer; if set, used to check tokens',
    whenUnset: "the issuer of the server's own mounted token",
  },
  xdsAuth: {
    name: 'XDS_AUTH',
    type: bool,
    default: 'true',
    meaning: 'If true, XDS clients are authenticated',
  },
} as const satisfies Partial<VariableTable<Environment>>;
