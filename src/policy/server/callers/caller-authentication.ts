import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import type { WorkloadIdentity } from '../../../model/spiffe-id.js';
import type { ServedCall } from '../../../net/call-credentials.js';
import type { TlsMaterialSource } from '../../../net/tls-material.js';
import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import type { PolicyTls } from '../grpc/policy-grpc-server.js';
import { type Caller, CallerRefusedError, callerText } from './caller.js';
import { anonymous, type CallerReader, createCallerReader } from './caller-reader.js';
import type { CallerRights } from './caller-rights.js';

/** Mutual TLS of the policy server with its callers. */
export interface CallerTls {
  readonly mode: 'permissive' | 'strict';
  readonly material: TlsMaterialSource;
  /** The workload of this mesh that a verified certificate is for. */
  readonly identify: (certificate: X509Certificate) => WorkloadIdentity | undefined;
  /** Namespace of this process: policy servers in it may ask on behalf of any workload. */
  readonly peerNamespace: string;
}

export interface CallerAuthenticationOptions {
  /** Undefined: the listener takes plaintext alone. */
  readonly tls: CallerTls | undefined;
  readonly rights: Pick<CallerRights, 'refused'>;
  readonly metrics: Metrics;
  /** Scope `policy`. */
  readonly logger: Logger;
  /** The same, for messages that callers can cause over and over. */
  readonly limitedLog: LimitedLog;
  readonly clock: Clock;
}

/** How the policy server identifies its callers. */
export interface CallerAuthentication {
  readonly callerOf: CallerReader;
  /** @throws CallerRefusedError when the caller is not a policy server */
  readonly admitPolicyServer: (call: ServedCall) => void;
  /** Undefined for plaintext alone. */
  readonly listenerTls: PolicyTls | undefined;
}

export function createCallerAuthentication(options: CallerAuthenticationOptions): CallerAuthentication {
  const { tls, rights, metrics, logger, limitedLog, clock } = options;
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
      onUnusableMaterial: (err) => logger.error({ err }, 'policy server certificate unusable, the one before stays'),
    },
  };
}
