import { keyOf, type MeshObject } from '../../../config/object.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Enforcement } from '../analysis-input.js';
import type { AnalysisMessage } from '../analysis-message.js';
import { ignoredPeerAuthentications, switchedOff } from '../analyzers/ignored-peer-authentications.js';
import { inPod } from '../pod-wording.js';

/** What is found about a PeerAuthentication among the others of its namespace. */
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
