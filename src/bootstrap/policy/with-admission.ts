import type { Clock } from '../../base/clock.js';
import { type PolicyTransport, PolicyTransportError } from '../../policy/client/policy-transport.js';
import type { PolicyServer } from '../../policy/server/policy-server.js';

/** Checks of other policy servers, whose fail policy decides: they get an error while this server is overloaded. */
export function withAdmission(
  { admission }: Pick<PolicyServer, 'admission'>,
  clock: Clock,
  check: PolicyTransport['check'],
): PolicyTransport['check'] {
  return async (request, call) => {
    if (!admission.admit(clock.monotonicMs(), 'mesh.policy.v1')) {
      const message = 'the policy server is overloaded (overload in its configuration): add replicas';
      throw new PolicyTransportError('other', message, { code: 'UNAVAILABLE' });
    }
    try {
      return await check(request, call);
    } finally {
      admission.end();
    }
  };
}
