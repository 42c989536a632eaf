import { keyOf, type MeshObject } from '../../../../config/object.js';
import { createRuleMerger, type IgnoredPart } from '../../../../model/traffic/destination-rules/effective-rule.js';
import { compareRules, exportedTo, readRuleEntry } from '../../../../model/traffic/destination-rules/rule-entry.js';
import { MAX_SUBSET_CLUSTERS, mostSubsets } from '../../../../model/traffic/destination-rules/service-clusters.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { otherThan } from '../../traffic/traffic-index.js';
import type { DestinationRulePart } from '../../traffic/traffic-specs.js';

/** Policies and subsets of DestinationRules that an older rule of the same namespace and host replaces. */
export const replacedRules: ObjectAnalyzer = {
  kinds: ['DestinationRule'],
  find: (object, { rulesOf, domain, mesh }) => {
    const mine = readRuleEntry(object, domain);
    const defaults = mesh.defaultDestinationRuleExportTo;
    const to = exportedTo(mine, defaults);
    const others = otherThan(object, rulesOf(mine.host))
      .filter(({ metadata }) => metadata.namespace === mine.namespace)
      .map((other) => readRuleEntry(other, domain))
      .filter((other) => areSeenTogether(to, exportedTo(other, defaults)));
    const [first, ...rest] = [mine, ...others].sort(compareRules);
    if (first === undefined || rest.length === 0) return [];
    const { ignored } = createRuleMerger()([first, ...rest]);
    return ignored.filter(({ rule }) => rule === mine).map((part) => messageOf(object, part));
  },
};

function messageOf(object: MeshObject, { winner, subset, rule }: IgnoredPart): AnalysisMessage {
  const key = keyOf(object);
  if (subset === undefined) {
    const text = `${winner?.key} is older and has a trafficPolicy for ${rule.host} too`;
    return createMessage('ruleReplaced', { object: key, field: 'spec.trafficPolicy' }, text);
  }
  const { subsets = [] } = object.body as DestinationRulePart;
  const at = subsets.findLastIndex(({ name }) => name === subset);
  const text =
    winner === undefined
      ? `all DestinationRules of the namespace for ${rule.host} have too many subsets, so ${subset} has no cluster`
      : `${winner.key} is older and has the subset ${subset} of ${rule.host} too`;
  return createMessage('ruleReplaced', { object: key, field: `spec.subsets[${at}]` }, text);
}

function areSeenTogether(first: ReadonlySet<string>, second: ReadonlySet<string>): boolean {
  return first.has('*') || second.has('*') || [...first].some((namespace) => second.has(namespace));
}

/** Subsets without a cluster, because the ports of the service and the subsets multiply to too many. */
export const subsetsWithoutCluster: ObjectAnalyzer = {
  kinds: ['DestinationRule'],
  find: (object, { serviceOf }) => {
    const { host = '', subsets = [] } = object.body as DestinationRulePart;
    const service = serviceOf(host, object.metadata.namespace);
    if (service === undefined) return [];
    const most = mostSubsets(service);
    if (subsets.length <= most) return [];
    const text = `${service.hostname} has ${service.ports.length} ports, so the subsets from ${subsets[most]?.name} on have no cluster: subsets have ${MAX_SUBSET_CLUSTERS} clusters for all ports of a service`;
    return [createMessage('subsetsBeyondLimit', { object: keyOf(object), field: `spec.subsets[${most}]` }, text)];
  },
};
