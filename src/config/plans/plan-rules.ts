import { firstViolations } from '../policy/limits.js';
import { createObjectRegexes, type ObjectRegexes } from '../policy/object-regexes.js';
import { matchViolations } from '../policy/quota-spec-rules.js';
import { refundViolations } from '../policy/refund.js';
import { isFqdn } from '../primitives.js';
import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';
import type { PlanSpec } from './plan.js';

/** Attributes that a plan sets: they are known only when the plan of the request is. */
const OWN_ATTRIBUTES: ReadonlySet<string> = new Set(['api.plan', 'api.consumer', 'api.key_id']);

/** Rules of a Plan that its schema cannot express (docs/plans.md#fields-of-a-plan). */
export function validatePlan(spec: PlanSpec, regexes = createObjectRegexes()): readonly Violation[] {
  return firstViolations(planViolations(spec, regexes));
}

function* planViolations(spec: PlanSpec, regexes: ObjectRegexes): Iterable<Violation> {
  for (const [index, { domain }] of spec.services.entries()) {
    if (domain === undefined || isFqdn(domain)) continue;
    const remedy = 'use for example svc.cluster.local';
    yield { path: `services[${index}].domain`, value: domain, message: 'is not a domain name', remedy };
  }
  yield* planFieldViolations(spec, regexes);
}

/** The rules of the fields that a resolved plan has too. */
export function* planFieldViolations(
  { match, limits, refund }: Pick<PlanSpec, 'match' | 'limits' | 'refund'>,
  regexes: ObjectRegexes,
): Iterable<Violation> {
  yield* refundViolations(refund, 'refund');
  for (const [index, item] of match.entries()) {
    const path = `match[${index}].clause`;
    yield* matchViolations(item, () => path, regexes);
    for (const name of Object.keys(item.clause)) {
      if (!OWN_ATTRIBUTES.has(name)) continue;
      const message = 'is known only when the plan of the request is known, so no request matches';
      yield { path: `${path}.${name}`, message, remedy: 'use it in the match of a limit, or remove it' };
    }
  }
  for (const { index, first } of repeatedValues(limits.map(({ name }) => name))) {
    const message = `is the name of limits[${first}] too`;
    yield { path: `limits[${index}].name`, value: limits[index]?.name, message, remedy: 'name each limit differently' };
  }
  for (const [limit, { match: matches }] of limits.entries()) {
    for (const [index, item] of matches.entries()) {
      yield* matchViolations(item, () => `limits[${limit}].match[${index}].clause`, regexes);
    }
  }
}
