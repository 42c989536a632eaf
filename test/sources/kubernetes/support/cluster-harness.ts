import type { ExecutionContext } from 'ava';
import { systemClock } from '../../../../src/base/clock.js';
import { createKindRegistry } from '../../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../../src/config/mesh-domain.js';
import { keyOf, type MeshObject, objectKey } from '../../../../src/config/object.js';
import type { ChangeBatch } from '../../../../src/model/object-change.js';
import {
  createKubernetesSource,
  type KubernetesSource,
  type KubernetesSourceOptions,
} from '../../../../src/sources/kubernetes/kubernetes-source.js';
import type { EventRecorder, ObjectEventType } from '../../../../src/sources/kubernetes/objects/event-recorder.js';
import { createRecordingLogger, type LogEntry } from '../../support/recording-logger.js';

/** A cluster's source, and the state that its batches add up to. */
export interface ClusterHarness {
  readonly source: KubernetesSource;
  readonly batches: ChangeBatch[];
  readonly objects: Map<string, MeshObject>;
  readonly log: readonly LogEntry[];
  /** `Pod add` and so on, in order. */
  readonly events: string[];
  start(): Promise<void>;
  /** Messages of the log. */
  messages(level?: LogEntry['level']): readonly string[];
}

export function createClusterHarness(
  t: ExecutionContext,
  kubeconfig: string,
  overrides: Partial<KubernetesSourceOptions> = {},
): ClusterHarness {
  const logger = createRecordingLogger();
  const events: string[] = [];
  const recorder: EventRecorder = {
    event: ({ kind }, type: ObjectEventType) => events.push(`${kind} ${type}`),
    refused: (key) => events.push(`refused ${key}`),
    converted: () => undefined,
    failed: () => undefined,
    wellAgain: (key) => events.push(`well ${key}`),
  };
  const source = createKubernetesSource({
    access: { orchConfig: kubeconfig, environment: {} },
    cluster: 'real',
    kinds: createKindRegistry(DEFAULT_MESH_DOMAIN),
    namespaces: [],
    readsCoreKinds: true,
    readsMeshKinds: true,
    useEndpointSlice: undefined,
    withdrawsInvalid: false,
    resyncMs: 0,
    logger,
    clock: systemClock,
    recorder,
    userAgent: 'navigator-discovery/test',
    ...overrides,
    timing: { missingRetryMs: 300, maxRetryMs: 500, refusalGraceMs: 500, ...overrides.timing },
  });
  t.teardown(() => source.stop());
  const batches: ChangeBatch[] = [];
  const objects = new Map<string, MeshObject>();
  return {
    source,
    batches,
    objects,
    log: logger.entries,
    events,
    start: () =>
      source.start((batch) => {
        batches.push(batch);
        for (const change of batch.changes) {
          if (change.type === 'upsert') objects.set(keyOf(change.object), change.object);
          else objects.delete(objectKey(change.kind, change.namespace, change.name));
        }
      }),
    messages: (level) =>
      logger.entries.filter((entry) => level === undefined || entry.level === level).map(({ message }) => message),
  };
}
