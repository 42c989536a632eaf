import { objectKey } from '../../../../src/config/object.js';
import { parseRemoteKubeconfig } from '../../../../src/kubernetes/client/remote-kubeconfig.js';
import type { ChangeBatch } from '../../../../src/model/object-change.js';
import {
  createRemoteClusters,
  type RemoteClusterObserver,
  type RemoteClusters,
} from '../../../../src/sources/clusters/remote-clusters.js';
import type { KubernetesSource } from '../../../../src/sources/kubernetes/kubernetes-source.js';
import { createManualClock, type ManualClock } from '../../support/manual-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

/** A cluster's source in the hands of a test. */
export interface FakeSource {
  readonly id: string;
  readonly server: string;
  stopped: boolean;
  /** Hands names of Services over; the first time all that there are. */
  deliver(...names: readonly string[]): void;
  outage: unknown;
  /** One line for each kind. */
  forbidden: readonly string[];
}

export interface ClustersRig {
  readonly clusters: RemoteClusters;
  readonly clock: ManualClock;
  readonly sources: readonly FakeSource[];
  /** Names of Services that are served, by cluster. */
  readonly served: ReadonlyMap<string, ReadonlySet<string>>;
  /** `reached west https://…` and `removed west`. */
  readonly observed: readonly string[];
  /** Servers that do not answer. */
  readonly down: Set<string>;
  /** What servers answer instead of 200. */
  readonly answers: Map<string, { readonly status: number; readonly body: unknown }>;
  /** Requests by server, in order. */
  readonly requests: readonly string[];
  messages(level: string): readonly string[];
  /** The log as text. */
  logText(): string;
  /** All secrets: kubeconfigs by cluster id, by secret. */
  register(secrets: Readonly<Record<string, Readonly<Record<string, string>>>>): void;
  /** The newest source of a server; waits until there is one. */
  source(server: string): Promise<FakeSource>;
}

/** A kubeconfig that is right, for a server that nobody asks. */
export function kubeconfigFor(server: string, token = 'token'): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: `https://${server}` } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/** Lets promises that wait for nothing else settle. */
export async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export function createClustersRig(): ClustersRig {
  const logger = createRecordingLogger();
  const clock = createManualClock();
  const sources: FakeSource[] = [];
  const served = new Map<string, Set<string>>();
  const observed: string[] = [];
  const down = new Set<string>();
  const answers: ClustersRig['answers'] = new Map();
  const requests: string[] = [];
  const observer: RemoteClusterObserver = {
    reached: ({ id, server }) => observed.push(`reached ${id} ${server}`),
    removed: (id) => void observed.push(`removed ${id}`),
  };

  const take = ({ cluster, changes, replacesCluster = false }: ChangeBatch): void => {
    const names = replacesCluster ? new Set<string>() : (served.get(cluster) ?? new Set());
    for (const change of changes) {
      if (change.type === 'upsert') names.add(change.object.metadata.name);
      else names.delete(change.name);
    }
    if (names.size === 0) served.delete(cluster);
    else served.set(cluster, names);
  };

  const createSource = (id: string, server: string): KubernetesSource => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let give: ((batch: ChangeBatch) => void) | undefined;
    const fake: FakeSource = {
      id,
      server,
      stopped: false,
      outage: undefined,
      forbidden: [],
      deliver: (...names) => {
        give?.({
          cluster: id,
          changes: names.map((name) => ({
            type: 'upsert',
            object: {
              kind: 'Service',
              apiVersion: 'v1',
              metadata: { name, namespace: 'shop', labels: {}, annotations: {}, resourceVersion: '1' },
              body: {},
            },
          })),
        });
        begin();
      },
    };
    sources.push(fake);
    return {
      name: id,
      start: async (deliver) => {
        give = deliver;
        await begun;
      },
      stop: async () => {
        fake.stopped = true;
        begin();
      },
      reports: () => [],
      forbidden: () => fake.forbidden,
      outage: () => fake.outage,
    };
  };

  let version = 0;
  const clusters = createRemoteClusters({
    taken: new Map([['own', 'the own one']]),
    createSource: (id, { server }) => createSource(id, server),
    connect: ({ server }) => ({
      send: async () => {
        requests.push(server);
        if (down.has(server)) throw new Error('connect ECONNREFUSED');
        return { ...(answers.get(server) ?? { status: 200, body: {} }), retryAfterMs: undefined };
      },
      createWatcher: () => {
        throw new Error('nobody watches lists here');
      },
    }),
    deliver: take,
    observers: [observer],
    logger,
    clock,
    random: () => 0.5,
  });

  return {
    clusters,
    clock,
    sources,
    served,
    observed,
    down,
    answers,
    requests,
    messages: (level) => logger.entries.filter((entry) => entry.level === level).map(({ message }) => message),
    logText: () => JSON.stringify(logger.entries, (_, value) => (value instanceof Error ? value.stack : value)),
    register: (secrets) => {
      const list = clusters.secrets.replace();
      list.add(
        Object.entries(secrets).map(([name, kubeconfigs]) => ({
          metadata: { name, namespace: 'mesh-system', resourceVersion: String(++version) },
          data: Object.fromEntries(
            Object.entries(kubeconfigs).map(([id, text]) => [id, Buffer.from(text).toString('base64')]),
          ),
        })),
      );
      list.commit();
    },
    source: async (server) => {
      for (;;) {
        const found = sources.findLast((source) => source.server === `https://${server}` && !source.stopped);
        if (found !== undefined) return found;
        await turn();
      }
    },
  };
}

/** Where a kubeconfig leads; undefined when it cannot be used. */
export function serverOf(kubeconfig: string): string | undefined {
  try {
    return parseRemoteKubeconfig(kubeconfig).server;
  } catch {
    return undefined;
  }
}

/** The key of a secret, as problems name it. */
export function secretKey(name: string): string {
  return objectKey('Secret', 'mesh-system', name);
}
