import { errorText } from '../base/error-text.js';
import { isRecord } from '../base/record.js';
import type { ApiClient } from '../kubernetes/client/api-client.js';
import type { PodPort } from '../kubernetes/client/port-forward.js';
import { UnreachableError } from './unreachable-error.js';

/** A running pod of the control plane, with its monitoring port. */
export interface DiscoveryPod extends PodPort {
  readonly serviceAccount: string;
}

/** The label of the pods in manifests/50-deployment.yaml, the same for all revisions. */
const LABEL = 'app.kubernetes.io/component=control-plane';
const PORT_NAME = 'http-monitoring';
const DEFAULT_PORT = 15014;
const IDLE_MS = 15_000;

/**
 * The pods of the control plane that run, sorted by name.
 *
 * @throws UnreachableError if the API server does not answer or refuses, or if there is no such pod
 */
export async function findDiscoveryPods(api: ApiClient, namespace: string): Promise<readonly DiscoveryPod[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const limits = { signal: AbortSignal.timeout(IDLE_MS), idleMs: IDLE_MS };
  const { body } = await api.getJson(path, { labelSelector: LABEL }, limits).catch((cause: unknown) => {
    const reason = errorText(cause);
    const remedy = 'name another cluster with --kubeconfig, or get the right "list pods"';
    throw new UnreachableError(`the pods of namespace ${namespace} cannot be listed: ${reason}; ${remedy}`, { cause });
  });
  const items: readonly unknown[] = isRecord(body) && Array.isArray(body['items']) ? body['items'] : [];
  const pods = items
    .flatMap((item) => (isRecord(item) ? readPod(item, namespace) : []))
    .sort((first, second) => (first.pod < second.pod ? -1 : 1));
  if (pods.length > 0) return pods;
  throw new UnreachableError(
    `namespace ${namespace} has no running pod with the label ${LABEL}; name the namespace of the control plane with --namespace`,
  );
}

function readPod(item: Readonly<Record<string, unknown>>, namespace: string): readonly DiscoveryPod[] {
  const { metadata, spec, status } = item;
  const name = isRecord(metadata) ? metadata['name'] : undefined;
  const isEnding = isRecord(metadata) && metadata['deletionTimestamp'] !== undefined;
  const isRunning = isRecord(status) && status['phase'] === 'Running';
  if (typeof name !== 'string' || !isRunning || isEnding) return [];
  const account = isRecord(spec) ? spec['serviceAccountName'] : undefined;
  return [
    {
      namespace,
      pod: name,
      port: monitoringPort(spec),
      serviceAccount: typeof account === 'string' ? account : 'default',
    },
  ];
}

function monitoringPort(spec: unknown): number {
  const containers: readonly unknown[] = isRecord(spec) && Array.isArray(spec['containers']) ? spec['containers'] : [];
  for (const container of containers) {
    const ports: readonly unknown[] =
      isRecord(container) && Array.isArray(container['ports']) ? container['ports'] : [];
    const found = ports.find((port) => isRecord(port) && port['name'] === PORT_NAME);
    if (isRecord(found) && typeof found['containerPort'] === 'number') return found['containerPort'];
  }
  return DEFAULT_PORT;
}
