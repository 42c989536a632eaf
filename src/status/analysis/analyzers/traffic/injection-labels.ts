import { keyOf } from '../../../../config/object.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import { INJECTION_LABEL, SYSTEM_NAMESPACES, type TrafficIndex } from '../../traffic/traffic-index.js';

/** Namespaces with workloads and without a label for injection, in a mesh where other namespaces have one. */
export function findUnlabelledNamespaces(index: TrafficIndex): readonly AnalysisMessage[] {
  const namespaces = [...index.objectsOf('Namespace')];
  if (!namespaces.some(({ metadata: { name } }) => index.isInjected(name))) return [];
  return namespaces.flatMap((object) => {
    const { name, labels } = object.metadata;
    if (SYSTEM_NAMESPACES.has(name) || name === index.mesh.rootNamespace) return [];
    if (index.isInjected(name) || labels[INJECTION_LABEL] !== undefined) return [];
    const pods = index.workloads.selected(name, []).filter((group) => group.object.startsWith('Pod/'));
    if (pods.length === 0 || pods.every(({ hasProxy, refusesProxy }) => refusesProxy || hasProxy === true)) return [];
    const text = `pods of namespace ${name} get no sidecar, because the namespace has no label ${INJECTION_LABEL}`;
    return [createMessage('namespaceNotLabelled', { object: keyOf(object) }, text)];
  });
}

/** Namespaces with both labels that turn injection on. */
export function findDoubleLabels(index: TrafficIndex): readonly AnalysisMessage[] {
  const revision = `${index.meshDomain}/rev`;
  return [...index.objectsOf('Namespace')].flatMap((object) => {
    const { labels } = object.metadata;
    if (labels[INJECTION_LABEL] === undefined || labels[revision] === undefined) return [];
    const text = `the namespace has the labels ${INJECTION_LABEL}=${labels[INJECTION_LABEL]} and ${revision}=${labels[revision]}`;
    return [createMessage('doubleInjectionLabel', { object: keyOf(object), field: 'metadata.labels' }, text)];
  });
}

/** Running pods without a sidecar in namespaces whose pods get one. */
export function findPodsWithoutProxy(index: TrafficIndex): readonly AnalysisMessage[] {
  return index.workloads.groups.flatMap(({ object, name, namespace, hasProxy, refusesProxy }) => {
    if (hasProxy !== false || refusesProxy || !index.isInjected(namespace)) return [];
    const text = `pods of the workload ${name} run without a sidecar in a namespace with injection`;
    return [createMessage('podWithoutProxy', { object }, text)];
  });
}
