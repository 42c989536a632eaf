import { ANALYZED_KINDS, type Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/**
 * Every policy object, once: this version reads, validates and resolves policies, and no part of it enforces
 * them yet (DESIGN 6: a policy that silently does nothing is the worst of all).
 */
export const findUnenforcedPolicies: Analyzer = ({ objects, mesh }) => {
  const noServer =
    mesh.policy.mixerCheckServer === '' ? ', and mixerCheckServer of the mesh config names no server to ask' : '';
  return ANALYZED_KINDS.flatMap((kind) =>
    [...(objects.get(kind)?.keys() ?? [])].map((object) =>
      createMessage('policyNotEnforced', { object }, `nothing in this version enforces a ${kind} yet${noServer}`),
    ),
  );
};
