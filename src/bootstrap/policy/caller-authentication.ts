import type { ServedCall } from '../../net/call-credentials.js';
import { type Caller, CallerRefusedError, callerText } from '../../policy/server/callers/caller.js';
import { anonymous, type CallerReader, createCallerReader } from '../../policy/server/callers/caller-reader.js';
import type { CallerRights } from '../../policy/server/callers/caller-rights.js';
import type { PolicyTls } from '../../policy/server/grpc/policy-grpc-server.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { PolicyRuntimeOptions } from './policy-runtime.js';

/** How the policy server knows its callers. */
export interface CallerAuthentication {
  readonly callerOf: CallerReader;
  /** @throws CallerRefusedError when the caller is no policy server */
  readonly admitPolicyServer: (call: ServedCall) => void;
  /** Undefined for plaintext alone. */
  readonly listenerTls: PolicyTls | undefined;
}

export function createCallerAuthentication(
  { tls, metrics, clock, logging }: Pick<PolicyRuntimeOptions, 'tls' | 'metrics' | 'clock' | 'logging'>,
  rights: Pick<CallerRights, 'refused'>,
  limitedLog: LimitedLog,
): CallerAuthentication {
  if (tls === undefined) return { callerOf: anonymous, admitPolicyServer: () => undefined, listenerTls: undefined };
  const { material, mode, identify, peerNamespace } = tls;
  const callerOf = createCallerReader({ identify, onRefused: rights.refused });
  const requirePolicyServer = (caller: Caller): void => {
    if (caller.type === 'anonymous' || caller.identity.namespace === peerNamespace) return;
    const error = new CallerRefusedError(
      'method',
      `the caller ${callerText(caller.identity)} is no policy server: mesh.policy.v1.Policy is for those in the namespace ${peerNamespace}`,
    );
    rights.refused(caller, error);
    throw error;
  };
  return {
    callerOf,
    admitPolicyServer: (call) => requirePolicyServer(callerOf(call)),
    listenerTls: {
      material,
      mode,
      clock,
      onRefused: (reason, peer, detail) => {
        metrics.increment('policy_server_refused_connections_total', { reason });
        limitedLog.warn({ peer, kind: reason, reason: detail }, 'connection to the policy server refused');
      },
      onUnusableMaterial: (err) =>
        logging.scope('policy').error({ err }, 'policy server certificate unusable, the one before stays'),
    },
  };
}
