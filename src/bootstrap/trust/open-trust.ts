import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { type AccountChecks, createAccountChecks } from '../../ca/authentication/accounts/account-checks.js';
import type { AccountDirectory } from '../../ca/authentication/accounts/account-directory.js';
import { type AuthenticateCaller, createCallerAuthentication } from '../../ca/authentication/caller-authentication.js';
import { createAuthenticators } from '../../ca/authentication/create-authenticators.js';
import { createOffenders, type Offenders, refuseOffenders } from '../../ca/authentication/offenders.js';
import { expectedTokens } from '../../ca/authentication/oidc/own-token.js';
import { parseBundleEndpoints } from '../../ca/authentication/spiffe/parse-bundle-endpoints.js';
import { createSpiffeBundles, type SpiffeBundles } from '../../ca/authentication/spiffe/spiffe-bundles.js';
import { createTrustDomains, type TrustDomains } from '../../ca/authentication/spiffe/trust-domains.js';
import type { TokenReviewer } from '../../ca/authentication/token-review.js';
import type { CertificateAuthority } from '../../ca/authority/certificate-authority.js';
import { createAuthority, type RunningAuthority } from '../../ca/create-authority.js';
import { createServerCertificate } from '../../ca/server-certificate/create-server-certificate.js';
import type { ServerCertificateSource } from '../../ca/server-certificate/server-certificate-source.js';
import { formatPem, parsePem } from '../../ca/x509/pem.js';
import { discoveryHostOf } from '../../config/mesh/discovery-host.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createEgressRules } from '../../net/egress/egress-rules.js';
import { createGuardedFetch, type FetchDocument } from '../../net/egress/guarded-fetch.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';
import type { Cluster } from '../cluster-connection.js';
import type { Options } from '../options.js';
import { StartError } from '../start-error.js';

export interface TrustParts {
  readonly options: Options;
  /** The mesh config in force, at the time of the call. */
  readonly mesh: () => MeshConfig;
  /** Undefined where no cluster is read. */
  readonly cluster: Cluster | undefined;
  /** API servers of remote clusters, which review the tokens of their workloads, by cluster id. */
  readonly remoteReviewerOf: (clusterId: string) => TokenReviewer | undefined;
  /** The existing service accounts; undefined where no cluster is read, or NAV_CHECK_SERVICE_ACCOUNTS is false. */
  readonly accountDirectory: AccountDirectory | undefined;
  /** The key of a root that exists only in memory; undefined where the root comes from elsewhere. */
  readonly rootKey: Promise<KeyObject> | undefined;
  readonly metrics: Metrics;
  readonly outgoing: OutgoingCalls;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The authority and the certificate of this process, and the authentication of callers. */
export interface Trust {
  /** Undefined where ENABLE_CA_SERVER is false. */
  readonly authority: CertificateAuthority | undefined;
  readonly certificate: ServerCertificateSource;
  readonly authenticate: AuthenticateCaller;
  /** Addresses that are rejected for a while. */
  readonly offenders: Pick<Offenders, 'isFlooding'>;
  readonly trustDomains: TrustDomains;
  /** Undefined where service accounts are not checked. */
  readonly accounts?: AccountChecks | undefined;
  /** Roots of other trust domains. */
  readonly foreign: Pick<SpiffeBundles, 'roots' | 'onChange'>;
  stop(): Promise<void>;
}

/** The file with the pod's token for the authority (docs/reference/certificate-authority.md#authenticators). */
const OWN_TOKEN_FILE = './var/run/secrets/tokens/mesh-token';

/**
 * Opens the authority and the certificate. Undefined where there is neither an authority nor a certificate in files:
 * then nothing is served over TLS (docs/reference/http.md#grpc).
 *
 * @throws StartError when a file or cluster that the settings name cannot be used
 */
export async function openTrust(parts: TrustParts): Promise<Trust | undefined> {
  try {
    return await open(parts);
  } catch (cause) {
    throw new StartError(errorText(cause), { cause });
  }
}

async function open(parts: TrustParts): Promise<Trust | undefined> {
  const { options, mesh, logging, clock } = parts;
  const { discovery, environment } = options;
  if (!environment.enableCaServer && !hasCertificateFiles(options)) {
    logging
      .scope('pkica')
      .info({}, 'nothing is served over TLS, without a certificate authority and a certificate in files');
    return undefined;
  }
  const authority = environment.enableCaServer ? createOwnAuthority(parts) : undefined;
  const certificate = createServerCertificate({
    provider: environment.navCertProvider,
    tlsCertFile: discovery.tlsCertFile,
    tlsKeyFile: discovery.tlsKeyFile,
    caCertFile: discovery.caCertFile,
    authority,
    discoveryHost: discoveryHostOf(mesh()),
    customHost: environment.meshdCustomHost,
    namespace: discovery.namespace,
    revision: environment.revision,
    domain: discovery.domain,
    clock,
    logger: logging.scope('pkica'),
    random: Math.random,
  });
  const allowed = environment.navEgressAllowed.map(({ cidr }) => cidr);
  const guardedFetch = createGuardedFetch({ rules: createEgressRules(allowed) });
  const fetchDocument: FetchDocument = (url) => parts.outgoing.run('trust', url, () => guardedFetch(url));
  const foreign = createSpiffeBundles({
    endpoints: parseBundleEndpoints(environment.spiffeBundleEndpoints),
    fetchDocument,
    clock,
    logger: logging.scope('spiffe'),
  });
  const stop = async (): Promise<void> => {
    foreign.stop();
    await certificate.stop();
    await authority?.stop();
  };
  try {
    await authority?.start();
    await certificate.start();
    await foreign.start();
    const own = (): readonly [string, ...string[]] => ownTrustDomains(discovery.trustDomain, mesh());
    const rootsIn = createRootReader();
    const trustDomains = createTrustDomains({
      own,
      ownRoots: () => authority?.bundle().roots ?? rootsIn(certificate.caBundle() ?? ''),
      foreign: foreign.roots,
      skipValidation: environment.navSkipValidateTrustDomain,
    });
    const accounts = parts.accountDirectory && createAccountChecks(parts.accountDirectory, trustDomains.isOwn);
    const offenders = createOffenders(
      { burst: environment.navFailedCallersBurst, perSecond: environment.navFailedCallersRate },
      clock,
    );
    const authenticators = await createAuthenticators({
      trustDomains,
      accounts,
      trustDomain: () => own()[0],
      ...tokenReviewOf(parts),
      oidc: { ...(await oidcSettings(parts)), fetchDocument },
      offenders,
      tokenLimits: tokenLimitsOf(options),
      tokenShed: (reason) => parts.metrics.increment('nav_token_reviews_shed', { reason }),
      clock,
    });
    return {
      authority,
      certificate,
      authenticate: refuseOffenders(createCallerAuthentication(authenticators), offenders, () =>
        parts.metrics.increment('nav_token_reviews_shed', { reason: 'address blocked' }),
      ),
      offenders,
      trustDomains,
      accounts,
      foreign,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function hasCertificateFiles({ discovery, environment }: Options): boolean {
  const { tlsCertFile, tlsKeyFile, caCertFile } = discovery;
  return (tlsCertFile !== '' && tlsKeyFile !== '' && caCertFile !== '') || environment.navCertProvider !== 'meshd';
}

function createOwnAuthority({
  options,
  mesh,
  cluster,
  rootKey,
  metrics,
  logging,
  clock,
}: TrustParts): RunningAuthority {
  const { discovery, environment } = options;
  const { namespace } = discovery;
  return createAuthority({
    rootCaDir: environment.rootCaDir,
    ttls: { defaultMs: environment.defaultWorkloadCertTtlMs, maxMs: environment.maxWorkloadCertTtlMs },
    selfSigned: {
      trustDomain: ownTrustDomains(discovery.trustDomain, mesh())[0],
      ttlMs: environment.caSelfSignedCaCertTtlMs,
      keyBits: environment.caSelfSignedCaRsaKeySizeBits,
      firstKey: rootKey,
      checkIntervalMs: environment.caSelfSignedRootCertCheckIntervalMs,
      gracePercentile: environment.caSelfSignedRootCertGracePeriodPercentile,
      hasJitter: environment.caEnableJitterForRootCertRotator,
    },
    cluster: cluster && { ...cluster, namespace, meshDomain: environment.meshDomain },
    metrics,
    clock,
    logger: logging.scope('pkica'),
    rotatorLogger: logging.scope('rootcertrotator'),
    random: Math.random,
  });
}

function tokenReviewOf({ options, cluster, remoteReviewerOf }: TrustParts) {
  if (cluster === undefined) return {};
  const local: TokenReviewer = { cluster: options.discovery.clusterId, send: cluster.send };
  return {
    tokenReview: {
      jwtPolicy: options.environment.jwtPolicy,
      reviewerOf: (id: string | undefined) => (id === undefined ? undefined : remoteReviewerOf(id)) ?? local,
    },
  };
}

function tokenLimitsOf({ environment }: Options) {
  const { navTokenReviewConcurrency: maxConcurrent } = environment;
  return {
    maxConcurrent,
    // A quarter is left for other addresses and other clusters.
    maxConcurrentPerKey: Math.ceil(maxConcurrent * 0.75),
    maxWaiting: environment.navTokenReviewQueue,
    maxWaitMs: environment.navTokenReviewWaitMs,
  };
}

async function oidcSettings({ options, metrics }: TrustParts) {
  const { tokenIssuer, audience, orchServiceHost } = options.environment;
  const ownToken = await readFile(OWN_TOKEN_FILE, 'utf8').catch(() => undefined);
  return {
    ...expectedTokens({ issuer: tokenIssuer, audience }, ownToken, orchServiceHost),
    keysFetched: (outcome: 'success' | 'failure') =>
      metrics.increment(`nav_jwks_resolver_network_fetch_${outcome === 'success' ? 'success' : 'fail'}_total`),
  };
}

/**
 * The mesh's own trust domain and then its aliases.
 *
 * @param flag `--trust-domain`; empty: of the mesh config
 */
export function ownTrustDomains(flag: string, mesh: MeshConfig): readonly [string, ...string[]] {
  return [flag === '' ? mesh.trustDomain : flag, ...mesh.trustDomainAliases];
}

/** Splits a PEM text into its certificates; the same list while the text is the same. */
function createRootReader(): (text: string) => readonly string[] {
  let last = '';
  let roots: readonly string[] = [];
  return (text) => {
    if (text !== last) roots = parsePem(text).map(({ label, der }) => formatPem(label, der));
    last = text;
    return roots;
  };
}
