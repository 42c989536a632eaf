import { keyOf, type MeshObject, objectKey } from '../../../config/object.js';
import { keySourceOf } from '../../../config/security/key-source.js';
import type { RequestAuthenticationSpec } from '../../../config/security/request-authentication.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Analyzer, Enforcement } from '../analysis-input.js';
import { type AnalysisMessage, createMessage, inPod } from '../analysis-message.js';
import { type WorkloadLabels, workloadsOf } from './ineffective-authorization-policies.js';

/** RequestAuthentications that are switched off, that are too large together, or whose keys cannot be fetched. */
export const findIneffectiveRequestAuthentications: Analyzer = (input) => {
  const all = [...(input.objects.get('RequestAuthentication')?.values() ?? [])];
  const messages = all.flatMap((object) => messagesAbout(object, input.enforcement));
  if (input.enforcement.isAuthnOff === true) return messages;
  return [...messages, ...messagesAboutSize(all, input, workloadsOf(input))];
};

/** The messages that a RequestAuthentication would get: problems of sources that other objects name already. */
export function analyzeRequestAuthentication(
  candidate: MeshObject,
  enforcement: Enforcement,
): readonly AnalysisMessage[] {
  const messages = messagesAbout(candidate, enforcement);
  return enforcement.isPod === true ? messages.map(inPod) : messages;
}

function messagesAbout(
  object: MeshObject,
  { isAuthnOff = false, keySourceProblems }: Enforcement,
): readonly AnalysisMessage[] {
  const key = keyOf(object);
  if (isAuthnOff) {
    const text = 'this RequestAuthentication is not enforced: --plugins does not name authn';
    return [createMessage('requestAuthenticationOff', { object: key }, text)];
  }
  const { jwtRules = [] } = object.body as RequestAuthenticationSpec;
  return jwtRules.flatMap((rule, index) => {
    const source = keySourceOf(rule);
    const problem = source && keySourceProblems?.get(source.id);
    if (source === undefined || problem === undefined) return [];
    const where = { object: key, field: `spec.jwtRules[${index}].${source.type === 'jwks' ? 'jwksUri' : 'issuer'}` };
    if (problem.refusedBy !== undefined) {
      const text = `there are more URLs of keys than ${problem.refusedBy} allows`;
      return [createMessage('tooManyKeySources', where, text)];
    }
    const name = problem.hasKeys ? 'outdatedKeys' : 'missingKeys';
    return [createMessage(name, where, `the keys of issuer ${rule.issuer} cannot be fetched: ${problem.reason}`)];
  });
}

/** One message for each object of a workload whose rules are too large together, about the first such workload. */
function messagesAboutSize(
  all: readonly MeshObject[],
  { requestAuthentications, objects }: Pick<PushContext, 'requestAuthentications' | 'objects'>,
  workloadsIn: WorkloadLabels,
): readonly AnalysisMessage[] {
  // Nearly always none: then no pod is read.
  if (!all.some(({ metadata }) => requestAuthentications.canBeTooLarge(metadata.namespace))) return [];
  const told = new Map<string, AnalysisMessage>();
  const namespaces = new Set([...(objects.get('Pod')?.values() ?? [])].map(({ metadata }) => metadata.namespace));
  for (const namespace of namespaces) {
    if (!requestAuthentications.canBeTooLarge(namespace)) continue;
    for (const labels of workloadsIn(namespace)) {
      const { rules, isTooLarge } = requestAuthentications.ofWorkload(namespace, labels);
      if (!isTooLarge) continue;
      const text = `the ${rules.length} rules of a workload of namespace ${namespace} are too large together`;
      for (const { of } of rules) {
        const object = objectKey('RequestAuthentication', of.namespace, of.name);
        told.set(object, createMessage('requestAuthenticationsTooLarge', { object }, text));
      }
      break;
    }
  }
  return [...told.values()];
}
