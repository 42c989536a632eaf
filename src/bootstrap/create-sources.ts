import { errorText } from '../base/error-text.js';
import type { ObjectKey } from '../config/object.js';
import type { ConfigProblem } from '../introspection/views.js';
import type { ChangeBatch } from '../model/object-change.js';
import type { StoreChange } from '../model/store/change-log.js';
import type { MeshStore } from '../model/store/mesh-store.js';
import type { RemoteClusterObserver } from '../sources/clusters/remote-clusters.js';
import { createFileSource } from '../sources/file/file-source.js';
import type { ObjectProblem } from '../sources/kubernetes/objects/object-report.js';
import { createMockRegistry } from '../sources/mock/mock-registry.js';
import type { Source } from '../sources/source.js';
import type { ClusterConnection } from './cluster-connection.js';
import { createFolderFilter } from './folder-filter.js';
import { createMeshSettings } from './mesh-settings.js';
import type { Options } from './options.js';
import { type ClusterParts, createClusterSource } from './read-cluster.js';
import { createRemoteClusterReader } from './read-clusters.js';
import type { SettingsKeeper } from './settings-keeper.js';
import { StartError } from './start-error.js';

/** All sources of the mesh. */
export interface Sources {
  /**
   * Fills the store and follows the sources. Settles when the store has the first complete state.
   *
   * @throws StartError when a source can never deliver
   */
  start(onChange: (change: StoreChange) => void): Promise<void>;
  stop(): Promise<void>;
  /** The present problems of all sources. */
  problems(): readonly ConfigProblem[];
  /** The problems of mesh config and mesh networks. */
  settingsProblems(): readonly ConfigProblem[];
  /** The objects that are refused now; undefined for a file that cannot be read. */
  refusedObjects(): readonly (ObjectKey | undefined)[];
  /** The problems of objects of the cluster. */
  clusterProblems(): readonly ObjectProblem[];
}

export interface RemoteClusterOptions {
  /** The cluster whose secrets register other clusters; undefined when no cluster is read. */
  readonly connection: ClusterConnection | undefined;
  /** Keeps the last usable mesh config and mesh networks. */
  readonly keeper: SettingsKeeper;
  /** The parts that do more in remote clusters than to read them. */
  readonly observers: readonly RemoteClusterObserver[];
  /** Other objects are refused than before. */
  readonly onRefusals: () => void;
}

/** Creates the sources that the flags name: --configDir, --orchconfig, --meshConfig, --networksConfig, --registries. */
export function createSources(
  options: Options,
  store: MeshStore,
  parts: ClusterParts,
  remote: RemoteClusterOptions,
): Sources {
  const { discovery } = options;
  const { kinds, logging, clock } = parts;
  const logger = logging.scope('source');
  let onChange: (change: StoreChange) => void = () => undefined;
  let stopped = false;
  const deliver = (batch: ChangeBatch): void => onChange(store.apply(batch));

  const settings = createMeshSettings(options, {
    connection: remote.connection,
    keeper: remote.keeper,
    logger,
    clock,
    onMesh: (mesh) => onChange(store.setMesh(mesh)),
    onNetworks: (networks) => onChange(store.setNetworks(networks)),
  });
  const folder =
    discovery.configDir === ''
      ? undefined
      : createFileSource({
          directory: discovery.configDir,
          cluster: discovery.clusterId,
          kinds,
          defaultNamespace: 'default',
          logger,
          clock,
          onReport: remote.onRefusals,
        });
  const cluster = createClusterSource(
    options,
    parts,
    remote.onRefusals,
    () => store.state().mesh.ingressControllerMode !== 'OFF',
  );
  const ofFolder = createFolderFilter({
    kinds,
    readsCoreKinds: discovery.registries.includes('Orchestrator') && cluster === undefined,
    namespaces: discovery.appNamespaces,
  });
  const clusters =
    remote.connection !== undefined && discovery.registries.includes('Orchestrator')
      ? createRemoteClusterReader(options, parts, remote.connection, remote.observers)
      : undefined;
  const mock: Source | undefined = discovery.registries.includes('Mock')
    ? createMockRegistry({ cluster: 'Mock' })
    : undefined;

  return {
    start: async (listener) => {
      onChange = listener;
      const { mesh, networks } = await settings.start().catch(failStart);
      onChange(store.setMesh(mesh));
      onChange(store.setNetworks(networks));
      await mock?.start(deliver);
      if (!stopped) await startSource(folder, (batch) => deliver(ofFolder(batch)));
      if (stopped) return;
      // Both start together: remote clusters can take longer, and the secrets that register them are in the own
      // cluster.
      await Promise.all([startSource(clusters, deliver), startSource(cluster, deliver)]);
      await clusters?.settled();
    },
    stop: async () => {
      stopped = true;
      await Promise.all([clusters?.stop(), cluster?.stop(), folder?.stop(), mock?.stop(), settings.stop()]);
    },
    problems: () => [
      ...settings.problems(),
      ...(folder?.reports() ?? []).map(({ key, ...report }) => ({
        ...report,
        ...(key === undefined ? {} : { object: key }),
      })),
      ...(cluster?.reports() ?? []).map(({ key, since: _since, ...report }) => ({ ...report, object: key })),
      ...(cluster?.forbidden() ?? []).map((reason) => ({ reason })),
      ...(clusters?.problems() ?? []),
    ],
    refusedObjects: () => [...(folder?.reports() ?? []), ...(cluster?.reports() ?? [])].map(({ key }) => key),
    settingsProblems: settings.problems,
    clusterProblems: () => cluster?.reports() ?? [],
  };
}

async function startSource(
  source: Pick<Source, 'start'> | undefined,
  deliver: (batch: ChangeBatch) => void,
): Promise<void> {
  await source?.start(deliver).catch(failStart);
}

function failStart(cause: unknown): never {
  throw new StartError(errorText(cause), { cause });
}
