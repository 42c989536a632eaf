import type { X509Certificate } from 'node:crypto';
import type { WorkloadIdentity } from '../../../model/spiffe-id.js';
import type { ServedCall } from '../../../net/call-credentials.js';
import type { TlsMaterialSource } from '../../../net/tls-material.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { PolicyTls } from '../policy-listener.js';
import { type Caller, CallerRefusedError, callerText } from './caller.js';
import { anonymous, type CallerReaders, createCallerReaders } from './caller-reader.js';
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
  /** Scope `policy`. */
  readonly logger: Logger;
}

/** How the policy server identifies its callers. */
export interface CallerAuthentication {
  readonly callers: CallerReaders;
  /** @throws CallerRefusedError when the caller is not a policy server */
  readonly admitPolicyServer: (call: ServedCall) => void;
  /** Undefined for plaintext alone. */
  readonly listenerTls: PolicyTls | undefined;
}

export function createCallerAuthentication(options: CallerAuthenticationOptions): CallerAuthentication {
  const { tls, rights, logger } = options;
  if (tls === undefined) {
    const callers = { ofCall: anonymous, ofConnection: anonymous };
    return { callers, admitPolicyServer: () => undefined, listenerTls: undefined };
  }
  const { material, mode, identify, peerNamespace } = tls;
  const callers = createCallerReaders({ identify, onRefused: rights.refused });
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
    callers,
    admitPolicyServer: (call) => requirePolicyServer(callers.ofCall(call)),
    listenerTls: {
      material,
      mode,
      onUnusableMaterial: (err) => logger.error({ err }, 'policy server certificate unusable, the one before stays'),
    },
  };
}
