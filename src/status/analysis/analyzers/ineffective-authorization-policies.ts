import { appendTo } from '../../../base/append-to.js';
import type { WorkloadEntrySpec } from '../../../config/networking/workload-entry.js';
import { keyOf, type MeshObject, objectKey } from '../../../config/object.js';
import type { AuthorizationPolicySpec } from '../../../config/security/authorization-policy.js';
import type { PushContext } from '../../../model/push-context.js';
import { isSelected, type Labels } from '../../../model/security/namespace-mutual-tls.js';
import { selectedLabels } from '../../../model/security/oldest-first.js';
import type { Analyzer, Enforcement } from '../analysis-input.js';
import { type AnalysisMessage, createMessage, inPod } from '../analysis-message.js';

/** AuthorizationPolicies that are switched off, that select no workload, or with a rule that matches no request. */
export const findIneffectiveAuthorizationPolicies: Analyzer = (input) => {
  const all = [...(input.objects.get('AuthorizationPolicy')?.values() ?? [])];
  const workloads = workloadsOf(input);
  const messages = all.flatMap((object) => messagesAbout(object, input, input.enforcement, workloads));
  return input.enforcement.isAuthzOff === true ? messages : [...messages, ...messagesAboutSize(all, input, workloads)];
};

/** One message for each policy of a workload whose policies are too large together, about the first such workload. */
function messagesAboutSize(
  all: readonly MeshObject[],
  { authorizationPolicies, objects }: Pick<PushContext, 'authorizationPolicies' | 'objects'>,
  workloadsIn: WorkloadLabels,
): readonly AnalysisMessage[] {
  const ofPolicies = new Set(all.map(({ metadata }) => metadata.namespace));
  // Nearly always none: then no pod is read.
  if (![...ofPolicies].some(authorizationPolicies.canBeTooLarge)) return [];
  const told = new Map<string, AnalysisMessage>();
  const namespaces = new Set([...(objects.get('Pod')?.values() ?? [])].map(({ metadata }) => metadata.namespace));
  for (const namespace of namespaces) {
    if (!authorizationPolicies.canBeTooLarge(namespace)) continue;
    for (const labels of workloadsIn(namespace)) {
      const { policies, isTooLarge } = authorizationPolicies.ofWorkload(namespace, labels);
      if (!isTooLarge) continue;
      for (const { namespace: of, name } of policies) {
        const object = objectKey('AuthorizationPolicy', of, name);
        if (told.has(object)) continue;
        const text = `the ${policies.length} policies of a workload of namespace ${namespace} are too large together`;
        told.set(object, createMessage('authorizationPoliciesTooLarge', { object }, text));
      }
      break;
    }
  }
  return [...told.values()];
}

/** The messages that an AuthorizationPolicy would get. */
export function analyzeAuthorizationPolicy(
  context: Pick<PushContext, 'objects' | 'mesh'>,
  candidate: MeshObject,
  enforcement: Enforcement,
): readonly AnalysisMessage[] {
  const messages = messagesAbout(candidate, context, enforcement, workloadsOf(context));
  return enforcement.isPod === true ? messages.map(inPod) : messages;
}

function messagesAbout(
  object: MeshObject,
  context: Pick<PushContext, 'mesh' | 'objects'>,
  { isAuthzOff = false }: Enforcement,
  workloadsIn: WorkloadLabels,
): readonly AnalysisMessage[] {
  const where = { object: keyOf(object) };
  if (isAuthzOff) {
    const text = 'this AuthorizationPolicy is not enforced: --plugins does not name authz';
    return [createMessage('authorizationPolicyOff', where, text)];
  }
  const spec = object.body as AuthorizationPolicySpec;
  return [...messagesAboutSelector(object, spec, context, workloadsIn), ...messagesAboutJwts(object, spec, context)];
}

/** At most one message per policy, about the first field that requires a JWT. */
function messagesAboutJwts(
  object: MeshObject,
  spec: AuthorizationPolicySpec,
  { mesh, objects }: Pick<PushContext, 'mesh' | 'objects'>,
): readonly AnalysisMessage[] {
  const [field] = fieldsWithJwt(spec);
  if (field === undefined) return [];
  const { namespace } = object.metadata;
  for (const { metadata } of objects.get('RequestAuthentication')?.values() ?? []) {
    if ([metadata.namespace, namespace].includes(mesh.rootNamespace) || metadata.namespace === namespace) return [];
  }
  const text = 'this field requires a JWT, and no workload of the policy verifies one, so it matches no request';
  return [createMessage('authorizationPolicyNeedsJwt', { object: keyOf(object), field }, text)];
}

/** Fields with `not…` are left out: they match requests without a JWT. */
function* fieldsWithJwt({ rules = [] }: AuthorizationPolicySpec): Iterable<string> {
  for (const [index, { from = [], when = [] }] of rules.entries()) {
    for (const [at, { source }] of from.entries()) {
      if (source.requestPrincipals !== undefined) yield `spec.rules[${index}].from[${at}].source.requestPrincipals`;
    }
    for (const [at, { key, values }] of when.entries()) {
      if (key.startsWith('request.auth.') && values !== undefined) yield `spec.rules[${index}].when[${at}].key`;
    }
  }
}

function messagesAboutSelector(
  object: MeshObject,
  spec: AuthorizationPolicySpec,
  context: Pick<PushContext, 'mesh'>,
  workloadsIn: WorkloadLabels,
): readonly AnalysisMessage[] {
  const wanted = selectedLabels(spec);
  if (wanted.length === 0) return [];
  const { namespace } = object.metadata;
  const isEverywhere = namespace === context.mesh.rootNamespace;
  const workloads = workloadsIn(isEverywhere ? undefined : namespace);
  // A namespace without workloads gets no message: they come later.
  if (workloads.length === 0 || workloads.some((labels) => isSelected(labels, wanted))) return [];
  const selector = wanted.map(([key, value]) => `${key}=${value}`).join(',');
  const text = `no workload ${isEverywhere ? 'of the mesh' : `of namespace ${namespace}`} has ${selector}`;
  const at = { object: keyOf(object), field: 'spec.selector.matchLabels' };
  return [createMessage('selectsNothing', at, text)];
}

/** The labels of all workloads of a namespace, or of all namespaces for undefined. */
export type WorkloadLabels = (namespace: string | undefined) => readonly Labels[];

/** Groups the workloads at the first call, so that thousands of policies read each of them once. */
export function workloadsOf({ objects }: Pick<PushContext, 'objects'>): WorkloadLabels {
  let byNamespace: Map<string | undefined, Labels[]> | undefined;
  return (namespace) => {
    byNamespace ??= groupWorkloads(objects);
    return byNamespace.get(namespace) ?? [];
  };
}

function groupWorkloads(objects: PushContext['objects']): Map<string | undefined, Labels[]> {
  const all: Labels[] = [];
  const byNamespace = new Map<string | undefined, Labels[]>([[undefined, all]]);
  for (const kind of ['Pod', 'WorkloadEntry']) {
    for (const { metadata, body } of objects.get(kind)?.values() ?? []) {
      const labels = kind === 'Pod' ? metadata.labels : { ...metadata.labels, ...(body as WorkloadEntrySpec).labels };
      all.push(labels);
      appendTo(byNamespace, metadata.namespace, labels);
    }
  }
  return byNamespace;
}
