import type { ObjectKey } from '../../../config/object.js';
import type { RulesInForce } from '../../rules/rule-objects.js';

const WITHHELD =
  'the control plane sends the credentials of the handler only to authenticated policy servers: set --discoveryRootCert';

/** The rules, in which handlers without their credentials do not run: the fail policy decides in their place. */
export function withoutWithheld(rules: RulesInForce, withheld: ReadonlySet<ObjectKey>): RulesInForce {
  if (withheld.size === 0) return rules;
  return {
    ...rules,
    rules: rules.rules.map((rule) => ({
      ...rule,
      actions: rule.actions.map((action) =>
        withheld.has(action.handler.key) ? { ...action, handler: { ...action.handler, problem: WITHHELD } } : action,
      ),
    })),
  };
}
