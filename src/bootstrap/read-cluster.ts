import type { Clock } from '../base/clock.js';
import type { KindRegistry } from '../config/kinds.js';
import { createKubernetesSource, type KubernetesSource } from '../sources/kubernetes/kubernetes-source.js';
import { createEventRecorder } from '../sources/kubernetes/objects/event-recorder.js';
import type { BuildInfo } from '../telemetry/build-info.js';
import type { Logging } from '../telemetry/logging.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { OutgoingCalls } from '../telemetry/outgoing-calls.js';
import type { Options } from './options.js';

export interface ClusterParts {
  readonly kinds: KindRegistry;
  readonly metrics: Metrics;
  /** Records each request to API servers; default: none does. */
  readonly outgoing?: OutgoingCalls | undefined;
  readonly build: BuildInfo;
  readonly logging: Logging;
  readonly clock: Clock;
  /** Environment of this process, which shows whether it runs in a pod. */
  readonly processEnvironment: Readonly<Record<string, string | undefined>>;
}

/** The User-Agent of requests to API servers. */
export function userAgentOf({ version }: BuildInfo): string {
  return `navigator-discovery/${version}`;
}

/**
 * Whether a cluster is read: with the Orchestrator registry, unless a folder takes the cluster's place. With a folder
 * and `--orchconfig`, services come from the cluster, and the mesh's own kinds from the folder.
 */
export function readsCluster({ discovery }: Options): boolean {
  if (!discovery.registries.includes('Orchestrator')) return discovery.orchConfig !== '' && discovery.configDir === '';
  return discovery.configDir === '' || discovery.orchConfig !== '';
}

/**
 * Creates the source of the own cluster; undefined when no cluster is read.
 *
 * @param onReport called when another object is refused
 * @param readsIngresses whether the mesh config lets Ingresses be read; asked at the start
 */
export function createClusterSource(
  options: Options,
  parts: ClusterParts,
  onReport: () => void,
  readsIngresses: () => boolean,
): KubernetesSource | undefined {
  if (!readsCluster(options)) return undefined;
  const { discovery, environment, explicit } = options;
  const { kinds, metrics, outgoing, build, logging, clock, processEnvironment } = parts;
  return createKubernetesSource({
    access: { orchConfig: discovery.orchConfig, environment: processEnvironment },
    cluster: discovery.clusterId,
    kinds,
    readsCoreKinds: discovery.registries.includes('Orchestrator'),
    readsMeshKinds: discovery.configDir === '',
    readsIngresses,
    namespaces: discovery.appNamespaces,
    useEndpointSlice: explicit.has('NAV_USE_ENDPOINT_SLICE') ? environment.navUseEndpointSlice : undefined,
    withdrawsInvalid: environment.navEnableCrdValidation,
    resyncMs: discovery.resyncMs,
    logger: logging.scope('kube'),
    clock,
    recorder: createEventRecorder(metrics),
    userAgent: userAgentOf(build),
    outgoing,
    onReport,
  });
}
