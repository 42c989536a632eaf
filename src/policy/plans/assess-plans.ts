import { hash } from 'node:crypto';
import type { AttributeBag, AttributeLayer } from '../client/attribute-bag.js';
import type { CheckDecision } from '../client/check-flow.js';
import { ALLOWED, type PlanCharge } from '../handlers/policy-handler.js';
import type { CompiledPlan } from './compile-plan.js';
import { anonymousLayer } from './plan-attributes.js';

/** Why a request is refused before it is counted. */
export type PlanRefusal = 'noKey' | 'unknownKey' | 'notIncluded';

/** A request that the plans of its service refuse. */
export interface PlanRefused {
  readonly type: 'refused';
  readonly reason: PlanRefusal;
  readonly decision: CheckDecision;
}

/** The plan of a request. */
export type PlanVerdict =
  | {
      readonly type: 'admitted';
      /** Of consumer and plan. */
      readonly attributes: AttributeLayer;
      readonly charges: readonly PlanCharge[];
      /** Whether a limit that cannot be compared with the request may count it. */
      readonly isUndecided: boolean;
    }
  | PlanRefused
  /** A plan or its keys have not come yet, or a condition cannot be used: the fail policy decides. */
  | { readonly type: 'undecided' };

/** The plans of a service. */
export interface ServicePlans {
  readonly plans: readonly CompiledPlan[];
  /** Whether the service has a plan that has not come yet. */
  readonly isIncomplete: boolean;
}

/** A longer text cannot be a key, so the server does not hash it. */
const MAX_KEY_LENGTH = 4096;

const UNDECIDED: PlanVerdict = { type: 'undecided' };
/** A challenge is required with 401 (RFC 9110). */
const CHALLENGE = { 'www-authenticate': 'ApiKey' } as const;

const REFUSALS: Readonly<Record<PlanRefusal, PlanVerdict>> = {
  noKey: refusal('noKey', {
    ...ALLOWED,
    status: { code: 'UNAUTHENTICATED', message: 'The request has no API key, and this API needs one' },
    responseHeaders: CHALLENGE,
  }),
  unknownKey: refusal('unknownKey', {
    ...ALLOWED,
    status: { code: 'UNAUTHENTICATED', message: 'The API key of the request is not known' },
    responseHeaders: CHALLENGE,
  }),
  notIncluded: refusal('notIncluded', {
    ...ALLOWED,
    status: { code: 'PERMISSION_DENIED', message: 'The plan of the API key does not include this request' },
  }),
};

/**
 * Finds the plan of a request to a service with plans: the first one that includes the request, and has its key or allows
 * requests without a known key. No refusal tells which keys or plans there are.
 */
export function assessPlans({ plans, isIncomplete }: ServicePlans, bag: AttributeBag): PlanVerdict {
  const key = keyOf(bag);
  const keyHash = key === undefined || key.length > MAX_KEY_LENGTH ? undefined : hash('sha256', key, 'hex');
  let isKnown = false;
  let isUndecided = isIncomplete;
  for (const plan of keyHash === undefined ? [] : plans) {
    const owner = plan.ownerOf(keyHash ?? '');
    if (owner === undefined) {
      isUndecided ||= plan.isLoading;
      continue;
    }
    isKnown = true;
    const includes = plan.includes(bag);
    if (includes === true) return admitted(plan, owner, bag);
    isUndecided ||= includes === 'undecided';
  }
  if (isKnown) return isUndecided ? UNDECIDED : REFUSALS.notIncluded;
  if (isUndecided && key !== undefined) return UNDECIDED;
  for (const plan of plans) {
    if (!allowsAnonymous(plan, key)) continue;
    const includes = plan.includes(bag);
    if (includes === true) return admitted(plan, anonymousLayer(plan.name, bag.get('origin.ip')), bag);
    isUndecided ||= includes === 'undecided';
  }
  if (isUndecided) return UNDECIDED;
  return key === undefined ? REFUSALS.noKey : REFUSALS.unknownKey;
}

function keyOf(bag: AttributeBag): string | undefined {
  const key = bag.get('request.api_key');
  return key?.type === 'string' ? key.value : undefined;
}

function allowsAnonymous({ anonymous }: CompiledPlan, key: string | undefined): boolean {
  return anonymous === 'withoutKnownKey' || (anonymous === 'withoutKey' && key === undefined);
}

function admitted(plan: CompiledPlan, attributes: AttributeLayer, bag: AttributeBag): PlanVerdict {
  const { charges, isUndecided } = plan.assess(bag.overlaid(attributes));
  return { type: 'admitted', attributes, charges, isUndecided };
}

function refusal(reason: PlanRefusal, decision: CheckDecision): PlanVerdict {
  return { type: 'refused', reason, decision };
}
