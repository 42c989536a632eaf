import { keyOf, type MeshObject } from '../../../../config/object.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { DestinationRulePart, TrafficPolicyPart, VirtualServicePart } from '../../traffic/traffic-specs.js';

/** Fields that have a successor. */
export const deprecatedFields: ObjectAnalyzer = {
  kinds: ['VirtualService', 'DestinationRule'],
  find: (object) => [...(object.kind === 'VirtualService' ? ofRoutes(object) : ofRule(object))],
};

function* ofRoutes(object: MeshObject): Iterable<AnalysisMessage> {
  for (const [index, route] of ((object.body as VirtualServicePart).http ?? []).entries()) {
    const path = `spec.http[${index}]`;
    if (route.mirrorPercent !== undefined) yield deprecated(object, `${path}.mirrorPercent`, 'mirrorPercentage.value');
    if (route.fault?.delay?.percent !== undefined) {
      yield deprecated(object, `${path}.fault.delay.percent`, 'percentage.value');
    }
    if ((route.corsPolicy?.allowOrigin ?? []).length > 0) {
      yield deprecated(object, `${path}.corsPolicy.allowOrigin`, 'allowOrigins');
    }
  }
}

function* ofRule(object: MeshObject): Iterable<AnalysisMessage> {
  const { trafficPolicy, subsets = [] } = object.body as DestinationRulePart;
  yield* ofPolicy(object, 'spec.trafficPolicy', trafficPolicy);
  for (const [index, subset] of subsets.entries()) {
    yield* ofPolicy(object, `spec.subsets[${index}].trafficPolicy`, subset.trafficPolicy);
  }
}

function* ofPolicy(object: MeshObject, path: string, policy: TrafficPolicyPart | undefined): Iterable<AnalysisMessage> {
  if (policy?.outlierDetection?.consecutiveErrors !== undefined) {
    yield deprecated(object, `${path}.outlierDetection.consecutiveErrors`, 'consecutive5xxErrors');
  }
  for (const [index, { outlierDetection }] of (policy?.portLevelSettings ?? []).entries()) {
    if (outlierDetection?.consecutiveErrors === undefined) continue;
    const field = `${path}.portLevelSettings[${index}].outlierDetection.consecutiveErrors`;
    yield deprecated(object, field, 'consecutive5xxErrors');
  }
}

function deprecated(object: MeshObject, field: string, successor: string): AnalysisMessage {
  return createMessage(
    'deprecatedField',
    { object: keyOf(object), field },
    `the field is deprecated: use ${successor}`,
  );
}
