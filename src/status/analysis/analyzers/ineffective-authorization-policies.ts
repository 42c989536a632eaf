import type { WorkloadEntrySpec } from '../../../config/networking/workload-entry.js';
import { keyOf, type MeshObject } from '../../../config/object.js';
import type { AuthorizationPolicySpec } from '../../../config/security/authorization-policy.js';
import type { PushContext } from '../../../model/push-context.js';
import { isSelected, type Labels } from '../../../model/security/namespace-mutual-tls.js';
import { selectedLabels } from '../../../model/security/oldest-first.js';
import type { Analyzer, Enforcement } from '../analysis-input.js';
import { type AnalysisMessage, createMessage, inPod } from '../analysis-message.js';

/** AuthorizationPolicies that are switched off, or that select no workload. */
export const findIneffectiveAuthorizationPolicies: Analyzer = (input) => {
  const all = [...(input.objects.get('AuthorizationPolicy')?.values() ?? [])];
  return all.flatMap((object) => messagesAbout(object, input, input.enforcement));
};

/** The messages that an AuthorizationPolicy would get. */
export function analyzeAuthorizationPolicy(
  context: Pick<PushContext, 'objects' | 'mesh'>,
  candidate: MeshObject,
  enforcement: Enforcement,
): readonly AnalysisMessage[] {
  const messages = messagesAbout(candidate, context, enforcement);
  return enforcement.isPod === true ? messages.map(inPod) : messages;
}

function messagesAbout(
  object: MeshObject,
  context: Pick<PushContext, 'objects' | 'mesh'>,
  { isAuthzOff = false }: Enforcement,
): readonly AnalysisMessage[] {
  const where = { object: keyOf(object) };
  if (isAuthzOff) {
    const text = 'this AuthorizationPolicy is not enforced: --plugins does not name authz';
    return [createMessage('authorizationPolicyOff', where, text)];
  }
  const wanted = selectedLabels(object.body as AuthorizationPolicySpec);
  if (wanted.length === 0) return [];
  const { namespace } = object.metadata;
  const isEverywhere = namespace === context.mesh.rootNamespace;
  const workloads = [...labelsOfWorkloads(context.objects, isEverywhere ? undefined : namespace)];
  // A namespace without workloads gets no message: they come later.
  if (workloads.length === 0 || workloads.some((labels) => isSelected(labels, wanted))) return [];
  const selector = wanted.map(([key, value]) => `${key}=${value}`).join(',');
  const text = `no workload ${isEverywhere ? 'of the mesh' : `of namespace ${namespace}`} has ${selector}`;
  const at = { ...where, field: 'spec.selector.matchLabels' };
  return [createMessage('authorizationPolicyWithoutWorkload', at, text)];
}

/** @param namespace undefined for all */
function* labelsOfWorkloads(objects: PushContext['objects'], namespace: string | undefined): Iterable<Labels> {
  for (const kind of ['Pod', 'WorkloadEntry']) {
    for (const { metadata, body } of objects.get(kind)?.values() ?? []) {
      if (namespace !== undefined && metadata.namespace !== namespace) continue;
      yield kind === 'Pod' ? metadata.labels : { ...metadata.labels, ...(body as WorkloadEntrySpec).labels };
    }
  }
}
