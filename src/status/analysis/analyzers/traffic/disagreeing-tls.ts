import { keyOf, type MeshObject } from '../../../../config/object.js';
import type { MutualTlsMode } from '../../../../model/security/mutual-tls.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { DestinationRulePart } from '../../traffic/traffic-specs.js';
import type { WorkloadGroup } from '../../traffic/workload-index.js';

/** DestinationRules whose TLS mode the workloads of their host do not take. */
export const disagreeingTls: ObjectAnalyzer = {
  kinds: ['DestinationRule'],
  find: (object, index) => [...messagesAbout(object, index)],
};

function* messagesAbout(object: MeshObject, index: TrafficIndex): Iterable<AnalysisMessage> {
  const { host = '', trafficPolicy, subsets = [] } = object.body as DestinationRulePart;
  const service = index.serviceOf(host, object.metadata.namespace);
  if (service === undefined) return;
  const workloads = index.workloads.ofService(service.source);
  yield* aboutMode(object, 'spec.trafficPolicy.tls.mode', trafficPolicy?.tls?.mode, workloads, index);
  for (const [at, { labels = {}, trafficPolicy: own }] of subsets.entries()) {
    const wanted = Object.entries(labels);
    const ofSubset = workloads.filter((group) => wanted.every(([key, value]) => group.labels[key] === value));
    yield* aboutMode(object, `spec.subsets[${at}].trafficPolicy.tls.mode`, own?.tls?.mode, ofSubset, index);
  }
}

function* aboutMode(
  object: MeshObject,
  field: string,
  mode: string | undefined,
  workloads: readonly WorkloadGroup[],
  index: TrafficIndex,
): Iterable<AnalysisMessage> {
  if (mode === undefined) return;
  const where = { object: keyOf(object), field };
  const isMutual = mode === 'MESH_MUTUAL';
  const bare = workloads.find(({ hasProxy }) => hasProxy === false);
  if (isMutual && bare !== undefined) {
    const text = `clients use mutual TLS of the mesh, but the workload ${bare.name} has no sidecar to accept it`;
    yield createMessage('mutualTlsWithoutSidecar', where, text);
  }
  const unwilling = workloads.find(
    (group) => group.hasProxy !== false && modeOf(group, index) === (isMutual ? 'DISABLE' : 'STRICT'),
  );
  if (unwilling === undefined) return;
  const taken = isMutual ? 'takes plaintext only (DISABLE)' : 'takes mutual TLS of the mesh only (STRICT)';
  const text = `clients use ${mode}, but by its PeerAuthentication the workload ${unwilling.name} ${taken}`;
  yield createMessage('disagreeingTls', where, text);
}

function modeOf({ namespace, labels }: WorkloadGroup, { peerAuthentications }: TrafficIndex): MutualTlsMode {
  return peerAuthentications.ofNamespace(namespace).ofWorkload(labels).mode;
}
