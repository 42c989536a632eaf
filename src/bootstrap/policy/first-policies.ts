import { PolicyTransportError } from '../../policy/client/policy-transport.js';
import type { PolicyServer } from '../../policy/server/policy-server.js';

/** What calls of proxies do before the first policies of services are in force. */
export interface FirstPolicies {
  /** Policies are in force from now on. */
  haveCome(): void;
  /** The same call, which throws PolicyTransportError UNAVAILABLE before. */
  required<Given extends readonly unknown[], Answer>(call: (...given: Given) => Answer): (...given: Given) => Answer;
  /**
   * Log streams that wait: no handler would get an entry that comes before the rules. Each holds one message; flow
   * control keeps the others at the proxies.
   */
  heldLogs(open: PolicyServer['openLogStream']): PolicyServer['openLogStream'];
}

export function createFirstPolicies(): FirstPolicies {
  let isOver = false;
  let resolveAll = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    resolveAll = resolve;
  });
  return {
    haveCome: () => {
      isOver = true;
      resolveAll();
    },
    required:
      (call) =>
      (...given) => {
        if (!isOver) throw new PolicyTransportError('other', 'the policies of services have not come yet');
        return call(...given);
      },
    heldLogs: (open) => (caller) => {
      const stream = open(caller);
      return {
        take: async (bytes) => {
          if (!isOver) await over;
          await stream.take(bytes);
        },
      };
    },
  };
}
