import type { PlanLimit } from '../../config/plans/plan.js';
import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';
import type { AttributeMatchSpec } from '../../config/policy/quota-spec.js';
import type { AttributeMatch__Output } from '../../generated/policy/mesh/policy/v1/AttributeMatch.js';
import type { PlanLimit__Output } from '../../generated/policy/mesh/policy/v1/PlanLimit.js';
import type {
  ResolvedPlan__Output,
  ResolvedPlan as ResolvedPlanMessage,
} from '../../generated/policy/mesh/policy/v1/ResolvedPlan.js';
import { PolicyWireError } from './policy-wire-error.js';

/** A plan as a message of `mesh.policy.v1`. Fields have the names of the YAML. Hashes are bytes. */
export function planMessage({ consumers, ...plain }: ResolvedPlan): ResolvedPlanMessage {
  const message = {
    ...plain,
    consumers: consumers.map(({ name, keys }) => ({ name, keys: keys.map((key) => Buffer.from(key, 'hex')) })),
  };
  // The types of messages are not read-only, but no code writes to them.
  return message as unknown as ResolvedPlanMessage;
}

/**
 * Reads a message of `planMessage`, except its consumers.
 *
 * @throws PolicyWireError for invalid values
 */
export function readPlanMessage(message: ResolvedPlan__Output): Omit<ResolvedPlan, 'consumers'> {
  const { anonymous = 'never', refund, isLoading } = message;
  return {
    match: (message.match ?? []).map(readMatch),
    limits: (message.limits ?? []).map(readLimit),
    anonymous: known(anonymous, 'anonymous'),
    ...(refund && { refund: { responseCodes: refund.responseCodes ?? [] } }),
    ...(isLoading && { isLoading }),
  };
}

function readMatch({ clause }: AttributeMatch__Output): AttributeMatchSpec {
  return { clause: clause ?? {} };
}

function readLimit(message: PlanLimit__Output, index: number): PlanLimit {
  const { per = 'minute', window = 'fixed', of = 'consumer' } = message;
  const path = `limits[${index}]`;
  return {
    name: message.name ?? '',
    requests: Number(message.requests ?? 0),
    per: known(per, `${path}.per`),
    window: known(window, `${path}.window`),
    of: known(of, `${path}.of`),
    match: (message.match ?? []).map(readMatch),
  };
}

/** A number is a value that this version does not know: an error is better than a wrong decision. */
function known<Value>(value: Value | number, field: string): Value {
  if (typeof value !== 'number') return value;
  throw new PolicyWireError(field, `is ${value}, which this version does not know: update this side`);
}
