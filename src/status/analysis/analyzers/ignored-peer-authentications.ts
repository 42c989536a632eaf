import { keyOf, type MeshObject } from '../../../config/object.js';
import type { PeerAuthenticationSpec } from '../../../config/security/peer-authentication.js';
import { peerAuthenticationsOldestFirst, selectedLabels } from '../../../model/security/oldest-first.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** PeerAuthentications that hold for no workload, because an older one of their level holds for each of them. */
export const findIgnoredPeerAuthentications: Analyzer = ({ objects, enforcement }) => {
  const all = [...(objects.get('PeerAuthentication')?.values() ?? [])];
  return enforcement.isAuthnOff === true ? all.map(switchedOff) : ignoredPeerAuthentications(all);
};

/** What is said of each of them while `--plugins` leaves out `authn`. */
export function switchedOff(object: MeshObject): AnalysisMessage {
  const text = 'nothing enforces this PeerAuthentication: --plugins does not name authn';
  return createMessage('peerAuthenticationOff', { object: keyOf(object) }, text);
}

/** The same of any such objects. */
export function ignoredPeerAuthentications(objects: Iterable<MeshObject>): readonly AnalysisMessage[] {
  const older = new Map<string, MeshObject[]>();
  return peerAuthenticationsOldestFirst(objects).flatMap((object) => {
    const labels = labelsOf(object);
    const places = placesOf(object);
    const holding = places.flatMap((place) => older.get(place) ?? []).find((each) => isSubset(labelsOf(each), labels));
    const own = places[0] ?? '';
    older.set(own, [...(older.get(own) ?? []), object]);
    if (holding === undefined) return [];
    const whom = labels.length === 0 ? 'its namespace' : 'every workload that it selects';
    return [
      createMessage('ignoredPeerAuthentication', { object: keyOf(object) }, `${keyOf(holding)} holds for ${whom}`),
    ];
  });
}

/**
 * Where older ones are looked for: under each of its labels, for an older one that selects no less is under its own first
 * label. The first place is where it is found itself.
 */
function placesOf(object: MeshObject): readonly string[] {
  const labels = labelsOf(object);
  const { namespace } = object.metadata;
  return labels.length === 0 ? [namespace] : labels.map((label) => JSON.stringify([namespace, label]));
}

function labelsOf({ body }: MeshObject): readonly (readonly [string, string])[] {
  return selectedLabels(body as PeerAuthenticationSpec);
}

function isSubset(fewer: ReturnType<typeof labelsOf>, more: ReturnType<typeof labelsOf>): boolean {
  return fewer.every(([key, value]) => more.some(([otherKey, other]) => otherKey === key && other === value));
}
