import { appendTo } from '../../../../base/append-to.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../../config/object.js';
import {
  createGatewayIndexer,
  type Gateways,
  type SelectedGateways,
} from '../../../../model/gateways/gateway-index.js';
import { mergeServers, type ServerConflict } from '../../../../model/gateways/merge-servers.js';
import { memoize } from '../../../../model/memo.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { GatewayPart } from '../../traffic/traffic-specs.js';

/** Groups of workloads that one Gateway selects for which conflicts are looked for. A Gateway selects few. */
const MAX_ROUTERS = 20;

/**
 * Servers and hosts of Gateways that a router refuses, because another Gateway has the port or host before. Routers are
 * the workloads that the selector matches. Without any, a router in the namespace of the Gateway with the labels of the
 * selector stands for them, so that conflicts are found in files and before a router starts.
 */
export const gatewayConflicts: ObjectAnalyzer = {
  kinds: ['Gateway'],
  find: (object, index) => {
    const key = keyOf(object);
    const { namespace } = object.metadata;
    const { selector = {} } = object.body as GatewayPart;
    const onlyOwnNamespace = index.settings.isGatewayScopedToNamespace === true;
    const groups = index.workloads.selected(onlyOwnNamespace ? namespace : undefined, Object.entries(selector));
    const routers = groups.length === 0 ? [{ namespace, labels: selector }] : groups.slice(0, MAX_ROUTERS);
    const gateways = gatewaysWith(object, index);
    const found = new Map<string, ServerConflict>();
    for (const router of routers) {
      const selected = gateways.of({ namespace: router.namespace, labels: router.labels, onlyOwnNamespace });
      for (const conflict of conflictsByObject(selected).get(key) ?? []) {
        found.set(`${conflict.field} ${conflict.message}`, conflict);
      }
    }
    return [...found.values()].map(({ field, message }) =>
      createMessage('serverRejected', { object: key, field }, message),
    );
  },
};

const presentGateways = memoize((index: TrafficIndex): Gateways => createGatewayIndexer()(index));

/** @param object takes the place of its version in the index */
function gatewaysWith(object: MeshObject, index: TrafficIndex): Gateways {
  const key = keyOf(object);
  const present = index.objects.get('Gateway') ?? new Map<ObjectKey, MeshObject>();
  if (present.get(key) === object) return presentGateways(index);
  const objects = new Map([['Gateway', new Map([...present, [key, object]])]]);
  return createGatewayIndexer()({ objects, mesh: index.mesh });
}

/** Services can give a router other ports than its clients see; the findings of connected routers know them. */
const conflictsByObject = memoize((selected: SelectedGateways): ReadonlyMap<ObjectKey, readonly ServerConflict[]> => {
  const byObject = new Map<ObjectKey, ServerConflict[]>();
  for (const conflict of mergeServers(selected, []).conflicts) {
    appendTo(byObject, conflict.object, conflict);
  }
  return byObject;
});
