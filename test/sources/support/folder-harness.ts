import type { ExecutionContext } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../src/config/mesh-domain.js';
import { keyOf, type MeshObject, objectKey } from '../../../src/config/object.js';
import type { ChangeBatch } from '../../../src/model/object-change.js';
import { createFileSource, type FileSource, type FileSourceOptions } from '../../../src/sources/file/file-source.js';
import { createRecordingLogger, type LogEntry } from './recording-logger.js';
import { createTempFolder, type TempFolder } from './temp-folder.js';

/** A folder, the source that reads it, and the state that its batches add up to. */
export interface FolderHarness {
  readonly folder: TempFolder;
  readonly source: FileSource;
  readonly batches: ChangeBatch[];
  readonly objects: Map<string, MeshObject>;
  readonly log: readonly LogEntry[];
}

export async function createFolderHarness(
  t: ExecutionContext,
  overrides: Partial<FileSourceOptions> = {},
): Promise<FolderHarness> {
  const folder = await createTempFolder();
  const logger = createRecordingLogger();
  const source = createFileSource({
    directory: folder.path,
    cluster: 'files',
    kinds: createKindRegistry(DEFAULT_MESH_DOMAIN),
    defaultNamespace: 'default',
    logger,
    clock: systemClock,
    debounceMs: 10,
    ...overrides,
  });
  t.teardown(async () => {
    await source.stop();
    await folder.dispose();
  });
  return { folder, source, batches: [], objects: new Map(), log: logger.entries };
}

/** Starts the source and keeps what it delivers. */
export async function startHarness({ source, batches, objects }: FolderHarness): Promise<void> {
  await source.start((batch) => {
    batches.push(batch);
    for (const change of batch.changes) {
      if (change.type === 'upsert') objects.set(keyOf(change.object), change.object);
      else objects.delete(objectKey(change.kind, change.namespace, change.name));
    }
  });
}

/** A ServiceEntry as a YAML document. */
export function serviceEntry(name: string, host = `${name}.example.com`): string {
  return `apiVersion: networking.mesh.internal/v1beta1
kind: ServiceEntry
metadata:
  name: ${name}
spec:
  hosts: [${host}]
  ports:
    - number: 80
      name: http
      protocol: HTTP
`;
}

export function hostsOf(harness: FolderHarness): readonly string[] {
  return [...harness.objects.values()].flatMap((object) => (object.body as { readonly hosts: string[] }).hosts).sort();
}
