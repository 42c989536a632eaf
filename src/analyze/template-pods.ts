import { isRecord } from '../base/record.js';

/** Kinds of Kubernetes with a pod template at `spec.template`, whose pods serve others. */
const WORKLOAD_KINDS: ReadonlySet<string> = new Set([
  'DaemonSet',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);

/**
 * The pod that a workload's controller would create, or undefined for other kinds. Files of a deployment contain
 * Deployments instead of Pods, and selectors of policies and Services select by the labels of pods.
 */
export function templatePod(raw: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(raw) || typeof raw['kind'] !== 'string' || !WORKLOAD_KINDS.has(raw['kind'])) return undefined;
  const metadata = isRecord(raw['metadata']) ? raw['metadata'] : {};
  const spec = isRecord(raw['spec']) ? raw['spec'] : {};
  const template = isRecord(spec['template']) ? spec['template'] : {};
  const inner = isRecord(template['metadata']) ? template['metadata'] : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...inner, name: metadata['name'], namespace: metadata['namespace'] ?? '' },
    spec: template['spec'] ?? {},
    status: {},
  };
}
