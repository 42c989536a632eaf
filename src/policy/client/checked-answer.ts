import { isRecord } from '../../base/record.js';
import { isRpcCode } from '../../base/rpc-code.js';
import { type CheckResponse, PolicyTransportError } from './policy-transport.js';

/**
 * Takes what a transport answered to a Check, which may be of the embedder's own making.
 *
 * @throws PolicyTransportError for anything but a CheckResponse: the fail policy decides then
 */
export function checkedAnswer(answer: unknown): CheckResponse {
  const problem = problemOf(answer);
  if (problem === undefined) return answer as CheckResponse;
  throw new PolicyTransportError('other', `The transport answered with no CheckResponse: ${problem}`);
}

function problemOf(answer: unknown): string | undefined {
  if (!isRecord(answer)) return 'it is no object';
  const { precondition, quotas } = answer;
  if (!isMap(quotas)) return 'quotas is no Map';
  for (const result of quotas.values()) {
    if (!isRecord(result)) return 'a result in quotas is no object';
    if (typeof result['grantedAmount'] !== 'number' || Number.isNaN(result['grantedAmount'])) {
      return 'grantedAmount of a quota is no number';
    }
    if (result['status'] !== undefined && !isStatus(result['status'])) return 'status of a quota is no PolicyStatus';
    const problem = problemOfRest(result);
    if (problem !== undefined) return `of a quota ${problem}`;
  }
  if (precondition === undefined) return undefined;
  if (!isRecord(precondition)) return 'precondition is no object';
  if (!isStatus(precondition['status'])) return 'precondition.status is no PolicyStatus';
  if (typeof precondition['validUseCount'] !== 'number') return 'precondition.validUseCount is no number';
  const { routeDirective } = precondition;
  if (routeDirective !== undefined && !isRecord(routeDirective)) return 'precondition.routeDirective is no object';
  return problemOfRest(precondition);
}

/** Of what preconditions and results of quotas have both. */
function problemOfRest({ validDurationMs, referencedAttributes }: Fields): string | undefined {
  if (validDurationMs !== undefined && typeof validDurationMs !== 'number') return 'validDurationMs is no number';
  if (referencedAttributes === undefined) return undefined;
  return Array.isArray(referencedAttributes) && referencedAttributes.every(isRecord)
    ? undefined
    : 'referencedAttributes is no list of references';
}

type Fields = Readonly<Record<string, unknown>>;

/** Not by its class: a map of another realm is one as well. */
function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map || (isRecord(value) && typeof value['get'] === 'function' && Symbol.iterator in value);
}

function isStatus(value: unknown): boolean {
  return isRecord(value) && isRpcCode(value['code']) && typeof value['message'] === 'string';
}
