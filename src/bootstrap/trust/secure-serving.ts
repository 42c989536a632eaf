import type { Clock } from '../../base/clock.js';
import { createAccountDirectory } from '../../ca/authentication/accounts/account-directory.js';
import type { TrustDomains } from '../../ca/authentication/spiffe/trust-domains.js';
import type { TokenReviewer } from '../../ca/authentication/token-review.js';
import { createRootDistribution, type RootDistribution } from '../../ca/distribution/root-distribution.js';
import type { ServerCertificateSource } from '../../ca/server-certificate/server-certificate-source.js';
import type { KindRegistry } from '../../config/kinds.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { createInstanceService } from '../../instances/instance-service.js';
import { createPolicyServerService } from '../../instances/policy-server-service.js';
import type { PolicyServers } from '../../instances/policy-servers.js';
import type { ReadPage } from '../../introspection/instances.js';
import type { CredentialProblem, CredentialStore } from '../../model/gateways/credential.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import type { GrpcGuard } from '../../net/guard/grpc-guard.js';
import { ListenError } from '../../net/listen-address.js';
import type { ReachedCluster, RemoteClusterObserver } from '../../sources/clusters/remote-clusters.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';
import type { SessionHooks } from '../../xds/discovery-calls.js';
import type { SessionEnvironment } from '../../xds/session-environment.js';
import type { ClusterConnection } from '../cluster-connection.js';
import { createClusterDuties } from '../external-control-plane/cluster-duties.js';
import { createRemoteWork } from '../external-control-plane/remote-work.js';
import { secureGrpcSettings } from '../map-options.js';
import type { ListenAddress, Options } from '../options.js';
import { createSecuredServer, type SecuredServer } from './create-secured-server.js';
import { openTrust, type Trust } from './open-trust.js';
import { CONTROL_PLANE_ACCOUNT, type PolicyCredentials } from './policy-credentials.js';
import { prepareRootKey } from './prepare-root-key.js';

export interface SecureServingParts {
  readonly options: Options;
  /** Limits of the peers of all gRPC listeners. */
  readonly guard: GrpcGuard;
  /** Undefined where no cluster is read. */
  readonly cluster: ClusterConnection | undefined;
  /** The mesh config in force, at the time of the call. */
  readonly mesh: () => MeshConfig;
  readonly kinds: KindRegistry;
  readonly session: SessionEnvironment;
  readonly hooks: SessionHooks;
  /** The certificates of Gateways; they end with this part. */
  readonly credentials: CredentialStore;
  readonly policyCredentials: Pick<PolicyCredentials, 'open' | 'stop'>;
  readonly encoder: MessageEncoder;
  /** ControlPlane.identifier */
  readonly controlPlane: string;
  /** Renders a page for another instance. */
  readonly readPage: ReadPage;
  readonly policyServers: PolicyServers;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  readonly metrics: Metrics;
  readonly outgoing: OutgoingCalls;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The certificate authority and the secured gRPC listener. */
export interface SecureServing {
  /**
   * Opens the authority with the mesh config in force, and then the listener. Settles with undefined where nothing is
   * served over TLS: there is neither an authority nor a certificate in files.
   *
   * @throws StartError, ListenError
   */
  start(): Promise<{ readonly address: ListenAddress; readonly certificate: ServerCertificateSource } | undefined>;
  /** Proxies are served from now on. */
  setServing(): void;
  stop(graceMs: number): Promise<void>;
  /** The credentials that connected routers need, and that are missing, malformed or expired; by router. */
  credentialProblems(): readonly CredentialProblem[];
  /** Takes the remote clusters: their API servers review the tokens of their workloads; CENTRAL_MESHD has duties there. */
  readonly remoteClusters: RemoteClusterObserver;
}

export function createSecureServing(parts: SecureServingParts): SecureServing {
  const { options, identity, logging, clock } = parts;
  const { discovery, environment } = options;
  const reviewers = new Map<string, TokenReviewer>();
  const accounts =
    parts.cluster === undefined || !environment.navCheckServiceAccounts
      ? undefined
      : createAccountDirectory({ outageLimitMs: environment.navAccountOutageLimitMs, clock });
  const rootKey = prepareRootKey(options, parts.cluster !== undefined);
  const remoteWork = environment.centralMeshd ? createRemoteWork(logging.scope('secretcontroller')) : undefined;
  let trust: Trust | undefined;
  let server: SecuredServer | undefined;
  let distribution: RootDistribution | undefined;
  let isServing = false;

  const serveProxies = async (opened: Trust): Promise<ListenAddress> => {
    const settings = secureGrpcSettings(options);
    const seesAllPolicies = createPolicyReaders(options, opened.trustDomains);
    server = createSecuredServer({
      ...parts,
      trust: opened,
      settings,
      isAuthenticated: environment.xdsAuth,
      seesAllPolicies,
      createServices: (gate) => [
        createInstanceService({
          environment: parts.session,
          gate,
          own: { id: identity, name: environment.podName },
          isInstance: ({ trustDomain, namespace, serviceAccount }) =>
            namespace === discovery.namespace &&
            serviceAccount === CONTROL_PLANE_ACCOUNT &&
            opened.trustDomains.isOwn(trustDomain),
          readPage: parts.readPage,
        }),
        createPolicyServerService({
          environment: parts.session,
          gate,
          isPolicyServer: seesAllPolicies,
          servers: parts.policyServers,
        }),
      ],
    });
    const port = await server.start().catch((cause: NodeJS.ErrnoException) => {
      throw new ListenError('--secureGRPCAddr', discovery.secureGrpcAddr, cause);
    });
    if (isServing) server.setServing();
    return { host: settings.host, port };
  };

  return {
    start: async () => {
      const cluster = await parts.cluster?.open();
      trust = await openTrust({
        ...parts,
        cluster,
        rootKey,
        remoteReviewerOf: (clusterId) => reviewers.get(clusterId),
        accountDirectory: accounts,
      });
      if (trust === undefined) return undefined;
      await parts.policyCredentials.open(trust);
      const { authority, certificate } = trust;
      if (cluster !== undefined) accounts?.add(discovery.clusterId, cluster.createWatcher(logging.scope('pkica')));
      const address = await serveProxies(trust);
      if (cluster !== undefined && authority !== undefined) {
        distribution = createRootDistribution({
          ...cluster,
          authority,
          createWatcher: () => cluster.createWatcher(logging.scope('pkica')),
          meshDomain: environment.meshDomain,
          namespace: discovery.namespace,
          identity,
          clock,
          logger: logging.scope('pkica'),
          random: Math.random,
        });
        distribution.start();
      }
      const caBundle = { current: certificate.caBundle, onChange: certificate.onChange };
      remoteWork?.begin(createClusterDuties({ ...parts, authority, caBundle, identity }));
      return { address, certificate };
    },
    setServing: () => {
      isServing = true;
      server?.setServing();
    },
    stop: async (graceMs) => {
      await Promise.all([server?.stop(graceMs), distribution?.stop(), remoteWork?.stop()]);
      await parts.policyCredentials.stop();
      await Promise.all([trust?.stop(), accounts?.stop(), parts.credentials.stop()]);
    },
    credentialProblems: () => server?.credentialProblems() ?? [],
    remoteClusters: {
      reached: (reached: ReachedCluster) => {
        const { id, link } = reached;
        reviewers.set(id, { cluster: id, send: link.send });
        accounts?.add(id, link.createWatcher(logging.scope('secretcontroller')));
        remoteWork?.observer.reached(reached);
      },
      removed: (id) => {
        reviewers.delete(id);
        accounts?.remove(id);
        return remoteWork?.observer.removed(id);
      },
    },
  };
}

/**
 * Which identities read the policies of all namespaces over ADS: service accounts of the control plane's own namespace
 * that NAV_POLICY_READERS names. Other workloads read the policies of their own namespace.
 */
function createPolicyReaders(
  { discovery, environment }: Options,
  trustDomains: Pick<TrustDomains, 'isOwn'>,
): (identity: WorkloadIdentity) => boolean {
  return ({ trustDomain, namespace, serviceAccount }) =>
    namespace === discovery.namespace &&
    environment.navPolicyReaders.includes(serviceAccount) &&
    trustDomains.isOwn(trustDomain);
}
