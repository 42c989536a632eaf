import { keyOf, type MeshObject } from '../../../config/object.js';
import type { PeerAuthenticationSpec } from '../../../config/security/peer-authentication.js';
import type { PushContext } from '../../../model/push-context.js';
import { peerAuthenticationsOldestFirst, selectedLabels } from '../../../model/security/oldest-first.js';
import type { Analyzer, Enforcement } from '../analysis-input.js';
import { type AnalysisMessage, createMessage, inPod } from '../analysis-message.js';

/** PeerAuthentications that apply to no workload, because an older one on the same level applies. */
export const findIgnoredPeerAuthentications: Analyzer = ({ objects, enforcement }) => {
  const all = [...(objects.get('PeerAuthentication')?.values() ?? [])];
  return enforcement.isAuthnOff === true ? all.map(switchedOff) : ignoredPeerAuthentications(all);
};

/** The message about each PeerAuthentication if `--plugins` does not name `authn`. */
function switchedOff(object: MeshObject): AnalysisMessage {
  const text = 'this PeerAuthentication is not enforced: --plugins does not name authn';
  return createMessage('peerAuthenticationOff', { object: keyOf(object) }, text);
}

/** The same for the given PeerAuthentications. */
function ignoredPeerAuthentications(objects: Iterable<MeshObject>): readonly AnalysisMessage[] {
  const older = new Map<string, MeshObject[]>();
  return peerAuthenticationsOldestFirst(objects).flatMap((object) => {
    const labels = labelsOf(object);
    const places = placesOf(object);
    const holding = places.flatMap((place) => older.get(place) ?? []).find((each) => isSubset(labelsOf(each), labels));
    const own = places[0] ?? '';
    older.set(own, [...(older.get(own) ?? []), object]);
    if (holding === undefined) return [];
    const covered = labels.length === 0 ? 'the whole namespace' : 'every workload that this one selects';
    return [
      createMessage(
        'ignoredPeerAuthentication',
        { object: keyOf(object) },
        `the older ${keyOf(holding)} applies to ${covered}`,
      ),
    ];
  });
}

/**
 * Keys of an index of older objects. An object is stored under its first key: its namespace, or its first label. An
 * older object that selects at least the same workloads is therefore found under one of the labels of this object.
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

/** The messages that a PeerAuthentication would get among the others of its namespace. */
export function analyzePeerAuthentication(
  { objects }: Pick<PushContext, 'objects'>,
  candidate: MeshObject,
  { isAuthnOff = false, isPod = false }: Enforcement,
): readonly AnalysisMessage[] {
  if (isAuthnOff) return [isPod ? inPod(switchedOff(candidate)) : switchedOff(candidate)];
  const key = keyOf(candidate);
  const others = [...(objects.get(candidate.kind)?.values() ?? [])].filter(
    (object) => object.metadata.namespace === candidate.metadata.namespace && keyOf(object) !== key,
  );
  return ignoredPeerAuthentications([...others, candidate]).filter(({ object }) => object === key);
}
