import type { KindRegistry } from '../config/kinds.js';
import { createDefaultMeshConfig, createMeshConfigReader } from '../config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks, createMeshNetworksReader } from '../config/mesh/read-mesh-networks.js';
import { createSchemaCompiler } from '../config/schema/schema-reader.js';
import type { ConfigProblem } from '../introspection/views.js';
import type { ChangeBatch } from '../model/object-change.js';
import type { MeshStore } from '../model/store/mesh-store.js';
import type { StoreChange } from '../model/store/store-change.js';
import { createFileSource, type FileSource } from '../sources/file/file-source.js';
import { createWatchedFile, type WatchedFile } from '../sources/file/watched-file.js';
import { createMockRegistry } from '../sources/mock/mock-registry.js';
import type { Source } from '../sources/source.js';
import type { Clock } from '../telemetry/clock.js';
import type { Logging } from '../telemetry/logging.js';
import { createCoreKindFilter } from './core-kind-filter.js';
import type { Options } from './options.js';
import { StartError } from './start-error.js';

/** Everything that the mesh is read from. */
export interface Sources {
  /**
   * Fills the store and keeps it filled; settles with the first complete state in it.
   *
   * @throws StartError when a source can never deliver.
   */
  start(onChange: (change: StoreChange) => void): Promise<void>;
  stop(): Promise<void>;
  /** What is not served as written, at present. */
  problems(): readonly ConfigProblem[];
}

/** Builds the sources that the flags name (SPEC 4.4: --configDir, --meshConfig, --networksConfig, --registries). */
export function createSources(
  options: Options,
  kinds: KindRegistry,
  store: MeshStore,
  logging: Logging,
  clock: Clock,
): Sources {
  const { discovery } = options;
  const logger = logging.scope('source');
  let onChange: (change: StoreChange) => void = () => undefined;
  let stopped = false;
  const deliver = (batch: ChangeBatch): void => onChange(store.apply(batch));

  const compiler = createSchemaCompiler();
  const mesh = createWatchedFile({
    file: discovery.meshConfigFile,
    read: createMeshConfigReader(compiler),
    defaults: createDefaultMeshConfig(),
    logger,
    clock,
    onChange: (value) => onChange(store.setMesh(value)),
  });
  const networks = createWatchedFile({
    file: discovery.networksConfigFile,
    read: createMeshNetworksReader(compiler),
    defaults: createDefaultMeshNetworks(),
    logger,
    clock,
    onChange: (value) => onChange(store.setNetworks(value)),
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
        });
  const coreKinds = createCoreKindFilter(kinds, discovery.registries.includes('Orchestrator'));
  const mock: Source | undefined = discovery.registries.includes('Mock')
    ? createMockRegistry({ cluster: 'Mock' })
    : undefined;

  return {
    start: async (listener) => {
      checkHasSource(options);
      onChange = listener;
      onChange(store.setMesh(await mesh.start()));
      onChange(store.setNetworks(await networks.start()));
      await mock?.start(deliver);
      if (!stopped) await startFolder(folder, (batch) => deliver(coreKinds(batch)));
    },
    stop: async () => {
      stopped = true;
      await Promise.all([folder?.stop(), mock?.stop(), mesh.stop(), networks.stop()]);
    },
    problems: () => [
      ...settingsProblems(discovery.meshConfigFile, mesh),
      ...settingsProblems(discovery.networksConfigFile, networks),
      ...(folder?.reports() ?? []).map(({ key, ...report }) => ({
        ...report,
        ...(key === undefined ? {} : { object: key }),
      })),
    ],
  };
}

function checkHasSource({ discovery }: Options): void {
  if (discovery.configDir !== '' || !discovery.registries.includes('Orchestrator')) return;
  throw new StartError(
    '--configDir is empty: reading from a cluster has not landed yet, so the Orchestrator registry needs a folder; ' +
      'give --configDir a folder of YAML, or choose another registry, such as --registries Mock',
  );
}

async function startFolder(folder: FileSource | undefined, deliver: (batch: ChangeBatch) => void): Promise<void> {
  try {
    await folder?.start(deliver);
  } catch (cause) {
    throw new StartError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function settingsProblems(file: string, watched: WatchedFile<unknown>): ConfigProblem[] {
  return watched.problems().map((reason) => ({ file, reason }));
}
