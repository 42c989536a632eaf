import type { Analyzer } from '../analysis-input.js';
import { policiesInConflict } from '../conflicting-policies.js';

/** Policies of services that lose requests to other services. */
export const findConflictingPolicies: Analyzer = ({ bindings, serviceConflicts }) =>
  policiesInConflict(bindings, serviceConflicts);
