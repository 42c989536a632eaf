import type { PlanLimit } from '../../config/plans/plan.js';
import type { Dimension } from '../../config/policy-server/dimension.js';
import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import { API_CONSUMER, API_KEY_ID } from './plan-attributes.js';

const DAY_MS = 86_400_000;

/** The lengths of rolling windows, and of fixed ones that are not of the calendar. */
const LENGTHS_MS = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
} as const satisfies Record<PlanLimit['per'], number>;

const DIMENSIONS = {
  // A key has one consumer, which the page of quotas shows beside it.
  key: [dimension(API_CONSUMER), dimension(API_KEY_ID)],
  consumer: [dimension(API_CONSUMER)],
  plan: [],
} as const satisfies Record<PlanLimit['of'], readonly Dimension[]>;

/** A limit of a plan as policy servers count it. */
export function quotaLimitOf(plan: string, { name, requests, per, window, of }: PlanLimit): QuotaLimit {
  const isOfCalendar = window === 'fixed' && (per === 'week' || per === 'month');
  return {
    name: `${plan} ${name}`,
    maxAmount: requests,
    validDurationMs: LENGTHS_MS[per],
    window: isOfCalendar ? per : window,
    dimensions: DIMENSIONS[of],
    overrides: [],
  };
}

function dimension(attribute: string): Dimension {
  return { text: attribute, attribute };
}
