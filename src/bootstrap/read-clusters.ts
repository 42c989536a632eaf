import type { ConfigProblem } from '../introspection/views.js';
import type { ListWatcher } from '../kubernetes/watch/list-watcher.js';
import { SECRET_KIND } from '../kubernetes/watch/secret.js';
import type { ChangeBatch } from '../model/object-change.js';
import { CLUSTER_SECRET_SELECTOR } from '../sources/clusters/cluster-secrets.js';
import { createRemoteClusters, type RemoteClusterObserver } from '../sources/clusters/remote-clusters.js';
import { createKubernetesSource } from '../sources/kubernetes/kubernetes-source.js';
import { createEventRecorder } from '../sources/kubernetes/objects/event-recorder.js';
import { withFields } from '../telemetry/logger.js';
import { type ClusterConnection, connectTo } from './cluster-connection.js';
import type { Options } from './options.js';
import { type ClusterParts, userAgentOf } from './read-cluster.js';

/** The remote clusters of the mesh. */
export interface RemoteClusterReader {
  /**
   * Starts to read the clusters that secrets register, now and later.
   *
   * @throws ClusterAccessError when no cluster is read that could have the secrets
   */
  start(deliver: (batch: ChangeBatch) => void): Promise<void>;
  /** Settles when the registered clusters are read, or after START_WAIT_MS. */
  settled(): Promise<void>;
  stop(): Promise<void>;
  problems(): readonly ConfigProblem[];
}

/** Longest wait of a start for remote clusters, in milliseconds, after the own cluster is read. */
const START_WAIT_MS = 10_000;

/**
 * Reads the clusters of --clusterRegistriesNamespace. Only Kubernetes' own kinds are read: the mesh's kinds come from
 * the own cluster.
 */
export function createRemoteClusterReader(
  { discovery, environment, explicit }: Options,
  { kinds, metrics, outgoing, build, logging, clock }: ClusterParts,
  connection: ClusterConnection,
  observers: readonly RemoteClusterObserver[],
): RemoteClusterReader {
  const logger = logging.scope('secretcontroller');
  const userAgent = userAgentOf(build);
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  let deliver: (batch: ChangeBatch) => void = () => undefined;
  let watcher: ListWatcher | undefined;
  /** Why the secrets cannot be read. */
  let refusal: string | undefined;
  let tellKnown = (): void => undefined;
  const known = new Promise<void>((resolve) => {
    tellKnown = resolve;
  });

  const clusters = createRemoteClusters({
    taken: new Map([
      [discovery.clusterId, 'the one that this control plane belongs to'],
      // The mock registry delivers under its own name.
      ...(discovery.registries.includes('Mock') ? [['Mock', 'the mock registry'] as const] : []),
    ]),
    createSource: (id, access) =>
      createKubernetesSource({
        access,
        cluster: id,
        kinds,
        readsCoreKinds: true,
        readsMeshKinds: false,
        namespaces: discovery.appNamespaces,
        useEndpointSlice: explicit.has('NAV_USE_ENDPOINT_SLICE') ? environment.navUseEndpointSlice : undefined,
        withdrawsInvalid: environment.navEnableCrdValidation,
        resyncMs: discovery.resyncMs,
        logger: withFields(logging.scope('kube'), { cluster: id }),
        clock,
        recorder: createEventRecorder(metrics),
        userAgent,
        outgoing,
      }),
    connect: (access) => connectTo(access, { userAgent, clock, outgoing }),
    deliver: (batch) => deliver(batch),
    observers,
    logger,
    clock,
  });

  return {
    start: async (deliverBatch) => {
      deliver = deliverBatch;
      const cluster = await connection.open();
      if (stopping.signal.aborted) return;
      watcher = cluster.createWatcher(logger);
      watcher.watch({
        definition: SECRET_KIND,
        namespace: discovery.clusterRegistriesNamespace,
        selector: CLUSTER_SECRET_SELECTOR,
        sink: clusters.secrets,
        onState: (state) => {
          if (state.type === 'failing') return;
          refusal = state.type === 'forbidden' ? state.err.message : undefined;
          tellKnown();
        },
      });
    },
    settled: async () => {
      let cancel = (): void => undefined;
      const late = new Promise<void>((resolve) => {
        cancel = clock.schedule(START_WAIT_MS, () => {
          logger.warn({ waitedMs: START_WAIT_MS }, 'starting without some remote clusters, they are read later');
          resolve();
        });
      });
      await Promise.race([known.then(() => clusters.tried()), late, stopped]);
      cancel();
    },
    stop: async () => {
      stopping.abort();
      await watcher?.stop();
      await clusters.stop();
    },
    problems: () => [
      ...(refusal === undefined ? [] : [{ level: 'Warn', reason: `no remote cluster is read: ${refusal}` } as const]),
      ...clusters.problems(),
    ],
  };
}
