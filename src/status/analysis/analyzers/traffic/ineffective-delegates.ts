import { keyOf, type MeshObject } from '../../../../config/object.js';
import { createMemo } from '../../../../model/memo.js';
import { delegateProblems } from '../../../../model/traffic/virtual-services/delegates.js';
import { readVirtualService, type VirtualService } from '../../../../model/traffic/virtual-services/virtual-service.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { otherThan, type TrafficIndex } from '../../traffic/traffic-index.js';
import type { VirtualServicePart } from '../../traffic/traffic-specs.js';

/**
 * Delegates of VirtualServices that have no effect, or less than they say. `missing-destinations` tells those that do not
 * exist.
 */
export const ineffectiveDelegates: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  find: (object, index) => {
    const { hosts = [], http = [] } = object.body as VirtualServicePart;
    if (hosts.length === 0) return index.settings.areDelegatesOn === true ? aboutUse(object, index) : [];
    const first = http.findIndex(({ delegate }) => delegate !== undefined);
    if (first < 0) return [];
    if (index.settings.areDelegatesOn !== true) {
      const text = 'no proxy uses an object with a delegate until NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE is true';
      return [certain(message(object, `spec.http[${first}].delegate`, text))];
    }
    return delegateProblems(read(object, index), (key) => {
      const found = index.objects.get('VirtualService')?.get(key);
      return found && read(found, index);
    }).flatMap(({ route, text, isMissing }) =>
      isMissing ? [] : certain(message(object, `spec.http[${route}].delegate`, text)),
    );
  },
};

function aboutUse(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  if (otherThan(object, index.rootsOf(keyOf(object))).length > 0) return [];
  return [message(object, 'spec.hosts', 'the object has no hosts, and no route of a VirtualService names it')];
}

function message(object: MeshObject, field: string, text: string): AnalysisMessage {
  return createMessage('ineffectiveDelegate', { object: keyOf(object), field }, text);
}

function certain(found: AnalysisMessage): AnalysisMessage {
  return { ...found, isCertain: true };
}

const known = createMemo<VirtualService>();

function read(object: MeshObject, { mesh, domain }: TrafficIndex): VirtualService {
  return known.of([mesh, object], domain, () => readVirtualService(object, { ...mesh, domain }));
}
