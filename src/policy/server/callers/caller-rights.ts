import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { ServiceConfigSource } from '../compiled-services.js';
import type { PolicyServerMetrics } from '../policy-server-metrics.js';
import {
  authorizeCheck,
  type CheckedCall,
  type CheckRight,
  requireNamespaces,
  requireServed,
} from './authorize-check.js';
import { type Caller, CallerRefusedError, callerText } from './caller.js';
import { ownersOfConfigs, type ServiceOwners } from './service-owners.js';

/** The rights of callers under the current policies. All methods count and log refusals. */
export interface CallerRights {
  observe(policies: ServiceConfigSource): void;
  /** @throws CallerRefusedError */
  check(call: CheckedCall): CheckRight;
  /**
   * The sender of an access log must be the proxy that its node names.
   *
   * @param namespace of the node
   * @throws CallerRefusedError
   */
  openLog(caller: Caller, namespace: string): void;
  /** Whether the caller may report about inbound traffic of the service. */
  mayReport(caller: Caller, hostname: string | undefined): boolean;
  /** Counts and logs a call that another part has refused. */
  refused(caller: Caller, error: CallerRefusedError): void;
}

export interface CallerRightsOptions {
  readonly allowsOutboundChecks: () => boolean;
  /**
   * The namespaces whose routers may charge the quotas of all services. Undefined where no receipts are given, so that
   * routers do not charge what the services' own proxies charge. Asked for each call.
   */
  readonly gatewayNamespaces: () => readonly string[] | undefined;
  readonly metrics: Pick<PolicyServerMetrics, 'refused' | 'uncharged'>;
  readonly limitedLog: LimitedLog;
}

const UNCHARGED_REMEDY =
  'set enableClientSidePolicyCheck in the mesh config, and callers.outboundChecks in the policy config (--policyConfig, in a cluster the ConfigMap mesh-policy) for a policy server of its own, where proxies are to charge what their workloads send; or add the namespace of a gateway to callers.gatewayNamespaces there';

export function createCallerRights(options: CallerRightsOptions): CallerRights {
  const { allowsOutboundChecks, gatewayNamespaces, metrics, limitedLog } = options;
  let owners: ServiceOwners = ownersOfConfigs({ find: () => undefined });

  /** A namespace decides about the quotas of its own services. */
  const isTrusted = (namespace: string, host: string | undefined): boolean => {
    const trusted = gatewayNamespaces();
    if (trusted === undefined) return false;
    return trusted.includes(namespace) || (host !== undefined && owners.isOfNamespace(host, namespace));
  };
  const refused = (caller: Caller, error: CallerRefusedError): void => {
    metrics.refused(error.reason);
    const peer = caller.type === 'workload' ? { caller: callerText(caller.identity), peer: caller.address } : {};
    limitedLog.warn({ ...peer, reason: error.message }, 'policy call refused');
  };
  const guarded = <Result>(caller: Caller, judge: () => Result): Result => {
    try {
      return judge();
    } catch (error) {
      if (error instanceof CallerRefusedError) refused(caller, error);
      throw error;
    }
  };

  return {
    observe: (policies) => {
      const known = policies.owners ?? ownersOfConfigs(policies);
      owners = {
        ownership: (hostname, caller) => known.ownership(hostname, caller),
        isOfNamespace: (hostname, namespace) => known.isOfNamespace(hostname, namespace),
        isExternal: (hostname) => known.isExternal(hostname),
        get hasOutboundChecks() {
          return known.hasOutboundChecks || allowsOutboundChecks();
        },
      };
    },
    check: (call) => {
      const right = guarded(call.caller, () => authorizeCheck(owners, call, isTrusted));
      if (right === 'uncharged') {
        metrics.uncharged();
        limitedLog.warn({ service: call.host, remedy: UNCHARGED_REMEDY }, 'outbound check allowed without charge');
      }
      return right;
    },
    openLog: (caller, namespace) => {
      if (caller.type === 'anonymous') return;
      guarded(caller, () => requireNamespaces(caller, [{ attribute: 'the node', namespace }]));
    },
    mayReport: (caller, hostname) => {
      if (caller.type === 'anonymous') return true;
      try {
        guarded(caller, () => requireServed(owners, caller, hostname));
        return true;
      } catch (error) {
        if (error instanceof CallerRefusedError) return false;
        throw error;
      }
    },
    refused,
  };
}
