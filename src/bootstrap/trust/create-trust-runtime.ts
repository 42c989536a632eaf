import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { createAccountDirectory } from '../../ca/authentication/accounts/account-directory.js';
import { createRootDistribution, type RootDistribution } from '../../ca/distribution/root-distribution.js';
import type { KindRegistry } from '../../config/kinds.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ReadinessProbe } from '../../introspection/ready.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import type { PushContext } from '../../model/push-context.js';
import type { GrpcGuard } from '../../net/guard/grpc-guard.js';
import { ListenError } from '../../net/listen-address.js';
import type { RemoteClusterObserver } from '../../sources/clusters/remote-clusters.js';
import type { Enforcement } from '../../status/analysis/analysis-input.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { SessionHooks } from '../../xds/discovery-calls.js';
import type { GrpcServer } from '../../xds/grpc-server.js';
import type { SessionEnvironment } from '../../xds/session-environment.js';
import { createCentralWork } from '../central/central-work.js';
import { createRemoteWork } from '../central/remote-work.js';
import type { Cluster, ClusterConnection } from '../cluster-connection.js';
import { secureGrpcSettings } from '../map-options.js';
import type { ListenAddress, Options } from '../options.js';
import type { SettingsKeeper } from '../settings-keeper.js';
import { StartError } from '../start-error.js';
import type { ReviewRuntime } from '../webhooks/review-runtime.js';
import { createCertificateProbe } from './certificate-probe.js';
import { createSecuredServer } from './create-secured-server.js';
import { openTrust, type Trust } from './open-trust.js';
import type { PolicyCredentials } from './policy-credentials.js';
import { createPolicyReaders } from './policy-readers.js';
import { prepareRootKey } from './prepare-root-key.js';
import { createRemoteReviewers } from './remote-reviewers.js';

export interface TrustRuntimeParts {
  readonly options: Options;
  /** What peers of the gRPC listeners may take. */
  readonly guard: GrpcGuard;
  /** Undefined where no cluster is read. */
  readonly cluster: ClusterConnection | undefined;
  /** Looks after the files of the injector. */
  readonly keeper: Pick<SettingsKeeper, 'custodyOf'>;
  /** The mesh config in force, at the time of the call. */
  readonly mesh: () => MeshConfig;
  /** What of the mesh decides how far ServiceEntries act, at the time of the call. */
  readonly entryGuard: () => EntryGuard;
  readonly kinds: KindRegistry;
  readonly session: SessionEnvironment;
  readonly hooks: SessionHooks;
  readonly policyCredentials: Pick<PolicyCredentials, 'open' | 'stop'>;
  readonly enforcement: () => Enforcement;
  readonly encoder: MessageEncoder;
  /** ControlPlane.identifier */
  readonly controlPlane: string;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** Where it serves; undefined what it does not. */
export interface SecuredAddresses {
  readonly secureGrpc: ListenAddress | undefined;
  readonly https: ListenAddress | undefined;
}

/** Everything that needs keys and certificates: the authority, the secured listener, the webhooks. */
export interface TrustRuntime {
  /**
   * Begins, with the mesh config of the first complete state.
   *
   * @throws StartError, ListenError
   */
  start(): Promise<SecuredAddresses>;
  observe(context: PushContext): void;
  /** Proxies are served from now on. */
  setServing(): void;
  stop(graceMs: number): Promise<void>;
  /** Told of remote clusters: their API servers know their workloads' tokens, and CENTRAL_MESHD has work there. */
  readonly remoteClusters: RemoteClusterObserver;
  readonly probes: readonly ReadinessProbe[];
  /** Text of the injector's template; undefined while it is off. */
  injectionTemplate(): string | undefined;
  problems(): readonly ConfigProblem[];
}

export function createTrustRuntime(parts: TrustRuntimeParts): TrustRuntime {
  const { options, logging, clock } = parts;
  const { discovery, environment } = options;
  const { podName, meshDomain } = environment;
  // Two instances without a name must not take one another for themselves.
  const identity = podName === '' ? `unknown-${randomUUID()}` : podName;
  const reviewers = createRemoteReviewers();
  const accounts =
    parts.cluster === undefined || !environment.navCheckServiceAccounts
      ? undefined
      : createAccountDirectory({ outageLimitMs: environment.navAccountOutageLimitMs, clock });
  const rootKey = prepareRootKey(options, parts.cluster !== undefined);
  const remoteWork = environment.centralMeshd ? createRemoteWork(logging.scope('secretcontroller')) : undefined;
  let trust: Trust | undefined;
  let server: GrpcServer | undefined;
  let reviews: ReviewRuntime | undefined;
  let newest: PushContext | undefined;
  let distribution: RootDistribution | undefined;
  let isServing = false;
  let isStopped = false;

  const serveProxies = async (opened: Trust): Promise<ListenAddress> => {
    const settings = secureGrpcSettings(options);
    server = createSecuredServer({
      ...parts,
      trust: opened,
      settings,
      isAuthenticated: environment.xdsAuth,
      seesAllPolicies: createPolicyReaders(options, opened.trustDomains),
    });
    const port = await server.start().catch((cause: NodeJS.ErrnoException) => {
      throw new ListenError('--secureGRPCAddr', discovery.secureGrpcAddr, cause);
    });
    if (isServing) server.setServing();
    return { host: settings.host, port };
  };

  const serveApiServers = async ({ authority, certificate }: Trust, cluster: Cluster): Promise<ListenAddress> => {
    if (authority !== undefined) {
      distribution = createRootDistribution({
        ...cluster,
        authority,
        createWatcher: () => cluster.createWatcher(logging.scope('pkica')),
        meshDomain,
        namespace: discovery.namespace,
        identity,
        clock,
        logger: logging.scope('pkica'),
        random: Math.random,
      });
      distribution.start();
    }
    // With all that judges and injects, which nobody needs without a cluster.
    const { createReviewRuntime } = await import('../webhooks/review-runtime.js');
    if (isStopped) throw new StartError('the server was told to stop while it started');
    reviews = createReviewRuntime({ ...parts, cluster, certificate, identity });
    if (newest !== undefined) reviews.observe(newest);
    return await reviews.start();
  };

  return {
    start: async () => {
      const cluster = await parts.cluster?.open();
      trust = await openTrust({
        ...parts,
        cluster,
        rootKey,
        remoteReviewerOf: reviewers.of,
        accountDirectory: accounts,
      });
      if (trust !== undefined) await parts.policyCredentials.open(trust);
      if (trust === undefined) return { secureGrpc: undefined, https: undefined };
      if (cluster !== undefined) accounts?.add(discovery.clusterId, cluster.createWatcher(logging.scope('pkica')));
      const secureGrpc = await serveProxies(trust);
      const https = cluster && (await serveApiServers(trust, cluster));
      const { authority, certificate } = trust;
      const caBundle = { current: certificate.caBundle, onChange: certificate.onChange };
      remoteWork?.begin(createCentralWork({ ...parts, authority, caBundle, identity }));
      return { secureGrpc, https };
    },
    observe: (context) => {
      newest = context;
      reviews?.observe(context);
    },
    setServing: () => {
      isServing = true;
      server?.setServing();
    },
    stop: async (graceMs) => {
      isStopped = true;
      await Promise.all([server?.stop(graceMs), reviews?.stop(), distribution?.stop(), remoteWork?.stop()]);
      await parts.policyCredentials.stop();
      await Promise.all([trust?.stop(), accounts?.stop()]);
    },
    remoteClusters: {
      reached: (reached) => {
        reviewers.observer.reached(reached);
        accounts?.add(reached.id, reached.link.createWatcher(logging.scope('secretcontroller')));
        remoteWork?.observer.reached(reached);
      },
      removed: (id) => {
        reviewers.observer.removed(id);
        accounts?.remove(id);
        remoteWork?.observer.removed(id);
      },
    },
    probes: [
      createCertificateProbe({
        isServed: () => reviews === undefined || trust?.certificate.current() !== undefined,
        clock,
        logger: logging.scope('pkica'),
      }),
    ],
    injectionTemplate: () => reviews?.injectionTemplate(),
    problems: () => reviews?.problems() ?? [],
  };
}
