import type { ObjectKey } from '../../config/object.js';
import type { DerivationProblem, DerivationProblemType } from '../derived/derivation.js';
import type { GatewayApiReport, ReportedCondition } from './report.js';

const TYPES: Readonly<Record<string, DerivationProblemType>> = {
  UnsupportedValue: 'unsupported',
  UnsupportedProtocol: 'unsupported',
  InvalidParameters: 'unsupported',
  InvalidRouteKinds: 'unsupported',
  HostnameConflict: 'conflict',
  ProtocolConflict: 'conflict',
};
/** These conditions repeat what others say. */
const REPEATING: ReadonlySet<string> = new Set(['Invalid', 'Pending', 'ListenersNotValid']);

/** The conditions that are not as their author wants them, for the analysis: objects of files have no status. */
export function problemsOfReport({ classes, gateways, routes }: GatewayApiReport): readonly DerivationProblem[] {
  return [
    ...classes.flatMap(({ key, conditions }) => problemsOf(key, 'spec', conditions)),
    ...gateways.flatMap(({ key, conditions, listeners }) => [
      ...problemsOf(key, 'spec', conditions),
      ...listeners.flatMap((listener, index) => problemsOf(key, `spec.listeners[${index}]`, listener.conditions)),
    ]),
    ...routes.flatMap(({ key, parents }) =>
      parents.flatMap(({ conditions }, index) => problemsOf(key, `spec.parentRefs[${index}]`, conditions)),
    ),
  ];
}

function problemsOf(
  object: ObjectKey,
  field: string,
  conditions: readonly ReportedCondition[],
): readonly DerivationProblem[] {
  return conditions.flatMap(({ type, status, reason, message }): readonly DerivationProblem[] => {
    // A condition of a conflict is good when it is false; the condition Accepted then says the same.
    if (type === 'Conflicted' || status || REPEATING.has(reason)) return [];
    return [{ type: TYPES[reason] ?? 'reference', object, field, text: message }];
  });
}
