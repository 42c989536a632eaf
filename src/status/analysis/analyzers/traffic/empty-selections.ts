import { keyOf, type MeshObject } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { GatewayPart, SelectingPart } from '../../traffic/traffic-specs.js';

/** Sidecars and Gateways whose labels no workload has: they configure nothing. */
export const missingWorkloads: ObjectAnalyzer = {
  kinds: ['Sidecar', 'Gateway'],
  find: (object, index) => {
    const isGateway = object.kind === 'Gateway';
    const labels = isGateway
      ? (object.body as GatewayPart).selector
      : (object.body as SelectingPart).workloadSelector?.labels;
    const namespace =
      isGateway && index.settings.isGatewayScopedToNamespace !== true ? undefined : object.metadata.namespace;
    const text = whySelectsNothing(labels, namespace, index);
    const field = isGateway ? 'spec.selector' : 'spec.workloadSelector.labels';
    return text === undefined ? [] : [createMessage('missingReference', { object: keyOf(object), field }, text)];
  },
};

/** Policies and patches whose selector matches no workload. */
export const emptySelections: ObjectAnalyzer = {
  kinds: ['RequestAuthentication', 'EnvoyFilter', 'PeerAuthentication'],
  find: (object, index) => {
    const { selector, workloadSelector } = object.body as SelectingPart;
    const labels = selector?.matchLabels ?? workloadSelector?.labels;
    const text = whySelectsNothing(labels, namespaceOf(object, index), index);
    if (text === undefined) return [];
    const field = selector === undefined ? 'spec.workloadSelector.labels' : 'spec.selector.matchLabels';
    return [createMessage('selectsNothing', { object: keyOf(object), field }, text)];
  },
};

/** Objects of the root namespace select workloads of all namespaces. */
function namespaceOf({ kind, metadata: { namespace } }: MeshObject, { mesh }: TrafficIndex): string | undefined {
  return namespace === mesh.rootNamespace && kind !== 'PeerAuthentication' ? undefined : namespace;
}

/** Undefined if a workload has the labels, or there are no workloads yet. */
function whySelectsNothing(
  labels: Readonly<Record<string, string>> | undefined,
  namespace: string | undefined,
  { workloads }: TrafficIndex,
): string | undefined {
  const wanted = Object.entries(labels ?? {});
  if (wanted.length === 0 || !workloads.hasAny(namespace)) return undefined;
  if (workloads.selected(namespace, wanted).length > 0) return undefined;
  const selector = wanted.map(([key, value]) => `${key}=${value}`).join(',');
  return `no workload ${namespace === undefined ? 'of the mesh' : `of namespace ${namespace}`} has ${selector}`;
}
